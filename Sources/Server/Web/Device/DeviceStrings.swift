/// What the pages say about devices without a keyboard.
struct DeviceStrings: PageStrings {
    let entryHeading: String
    let entryLead: String
    let codeLabel: String
    let codeHint: String
    let entrySubmit: String
    let malformed: String
    let unknown: String
    let expired: String
    let questionHeading: @Sendable (_ app: String) -> String
    let questionLead: @Sendable (_ person: String) -> String
    let codeLead: String
    let warning: String
    let scopesLead: String
    let asked: @Sendable (_ since: String, _ isHere: Bool) -> String
    let elsewhere: String
    let allow: String
    let otherAccount: String
    let doneHeading: @Sendable (DeviceDonePage.Kind) -> String
    let doneLead: @Sendable (DeviceDonePage.Kind) -> String
    let anotherCode: String
}

extension DeviceStrings {
    static let english = DeviceStrings(
        entryHeading: "Connect a device",
        entryLead: "Type the code that your television, terminal or other device shows.",
        codeLabel: "Code",
        codeHint: "Eight letters. Capitals, dashes and spaces do not matter.",
        entrySubmit: "Continue",
        malformed: "That code is not complete. Codes have eight letters, such as WDJB-MJHT.",
        unknown: "No device is waiting for this code. Compare it with what the device shows, or get a new code there.",
        expired: "This code has expired. Get a new one on the device.",
        questionHeading: { "Sign in to \($0) on your device?" },
        questionLead: { "The device would be signed in as \($0)." },
        codeLead: "Your device must show",
        warning:
            "Did someone send you this code, or tell you to type it? Then refuse: it is their device, and it would be signed in to your account.",
        scopesLead: "It would be able to",
        asked: { "The device asked \($0)\($1 ? ", from the network that you are in" : "")." },
        elsewhere: "The request came from a different network than yours.",
        allow: "Yes, connect my device",
        otherAccount: "Use another account",
        doneHeading: { outcome in
            switch outcome {
            case .allowed: "Your device is connected"
            case .denied: "You refused the device"
            case .expired: "This took too long"
            case .tooLate: "This code was already used"
            }
        },
        doneLead: { outcome in
            switch outcome {
            case .allowed: "It will continue within seconds. You can close this window."
            case .denied: "The device was not signed in. If someone sent you the code, do not reply."
            case .expired: "The code no longer works. Get a new one on the device."
            case .tooLate: "Each code works once. If your device is still waiting, get a new code there."
            }
        },
        anotherCode: "Type another code")

    static let german = DeviceStrings(
        entryHeading: "Gerät verbinden",
        entryLead: "Geben Sie den Code ein, den Ihr Fernseher, Terminal oder anderes Gerät zeigt.",
        codeLabel: "Code",
        codeHint: "Acht Buchstaben. Groß oder klein, mit oder ohne Strich und Leerzeichen.",
        entrySubmit: "Weiter",
        malformed: "Das ist kein vollständiger Code. Codes haben acht Buchstaben, zum Beispiel WDJB-MJHT.",
        unknown:
            "Mit diesem Code wartet kein Gerät. Vergleichen Sie ihn mit dem, was das Gerät zeigt, oder lassen Sie es einen neuen zeigen.",
        expired: "Dieser Code ist zu alt. Lassen Sie das Gerät einen neuen zeigen.",
        questionHeading: { "Auf Ihrem Gerät bei \($0) anmelden?" },
        questionLead: { "Das Gerät wäre angemeldet als \($0)." },
        codeLead: "Ihr Gerät muss zeigen",
        warning:
            "Hat Ihnen jemand diesen Code geschickt oder gesagt, dass Sie ihn eingeben sollen? Dann lehnen Sie ab: Es ist ein fremdes Gerät, und es wäre bei Ihrem Konto angemeldet.",
        scopesLead: "Es könnte dann",
        asked: { "Das Gerät hat \($0) angefragt\($1 ? ", aus dem Netz, in dem Sie sind" : "")." },
        elsewhere: "Es hat aus einem anderen Netz als Ihrem angefragt.",
        allow: "Ja, mein Gerät verbinden",
        otherAccount: "Anderes Konto benutzen",
        doneHeading: { outcome in
            switch outcome {
            case .allowed: "Ihr Gerät ist verbunden"
            case .denied: "Sie haben das Gerät abgelehnt"
            case .expired: "Das hat zu lange gedauert"
            case .tooLate: "Dieser Code wurde schon benutzt"
            }
        },
        doneLead: { outcome in
            switch outcome {
            case .allowed: "Dort geht es in wenigen Sekunden von selbst weiter. Sie können dieses Fenster schließen."
            case .denied:
                "Das Gerät wurde nicht angemeldet. Hat Ihnen jemand den Code geschickt, antworten Sie nicht."
            case .expired: "Der Code gilt nicht mehr. Lassen Sie das Gerät einen neuen zeigen."
            case .tooLate: "Jeder gilt einmal. Wartet Ihr Gerät noch, lassen Sie es einen neuen zeigen."
            }
        },
        anotherCode: "Anderen Code eingeben")
}
