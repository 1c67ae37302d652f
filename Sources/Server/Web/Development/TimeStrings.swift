/// What the start page says about the server's clock.
struct TimeStrings: PageStrings {
    let title: String
    /// The server's time and, if that is another, the machine's.
    let text: @Sendable (_ time: String, _ machine: String?) -> String
    let advance: String
    let submit: String
    let problem: String
    let tooFar: String
}

extension TimeStrings {
    static let english = TimeStrings(
        title: "Let time pass",
        text: { time, machine in
            guard let machine else { return "It is \(time) here, as on this machine." }
            return "It is \(time) here, and \(machine) on this machine. Time only goes forward."
        },
        advance: "How long",
        submit: "Move the clock",
        problem: "That is no span of time. Write 90s, 15m, 3h, 2d or 1w.",
        tooFar: "The clock can be at most ten years ahead.")

    static let german = TimeStrings(
        title: "Zeit vergehen lassen",
        text: { time, machine in
            guard let machine else { return "Hier ist es \(time), wie auf diesem Rechner." }
            return "Hier ist es \(time), auf diesem Rechner \(machine). Die Zeit geht nur vorwärts."
        },
        advance: "Wie lange",
        submit: "Uhr vorstellen",
        problem: "Das ist keine Zeitspanne. Schreiben Sie 90s, 15m, 3h, 2d oder 1w.",
        tooFar: "Die Uhr kann höchstens zehn Jahre vorgehen.")
}
