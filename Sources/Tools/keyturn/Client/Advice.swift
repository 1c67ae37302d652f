internal import KeyturnBase

/// The commands that a sentence tells a user to run, with the options that were used: typed as they stand there, they
/// work on the same session.
struct Advice: Hashable, Sendable {
    /// The session's name.
    var name = ContainerOptions.usualName
    /// What `keyturn login` takes beside the name.
    var options: [String] = []
    /// Whether it is a sign-in that failed.
    var isSignIn = false

    /// Where no session is known.
    static let plain = Advice()

    /// For a session that was begun here: its next sign-in takes what the last one took.
    static func of(
        _ name: String, known: [String: ServiceChoice] = KnownContainers.live?.read() ?? [:],
        environment: [String: String] = Live.environment
    ) -> Advice {
        guard let choice = known[name] else { return Advice(name: name, options: ["--issuer", "URL"]) }
        // The variable would lead elsewhere than the name did.
        let variable = environment[ServiceChoice.issuerVariable] ?? ""
        let isElsewhere = !variable.isEmpty && variable != choice.issuer
        return Advice(name: name, options: choice.how + (isElsewhere ? ["--issuer", choice.issuer] : []))
    }

    /// The sign-in.
    var login: String { login(adding: []) }

    /// The sign-in, with further options.
    func login(adding more: [String]) -> String { command(["login"] + options + more) }

    /// A command that takes a name.
    func command(_ words: [String]) -> String {
        // An operator's session has a name of its own.
        let isUsual = name == Self.plain.name || name == LoginCommand.operatorName && words.contains("--operator")
        return (["keyturn"] + words + (isUsual ? [] : ["--name", name])).map(ShellWord.quoted).joined(separator: " ")
    }
}

/// A word of a command, as a shell reads it back.
enum ShellWord {
    /// Between quotes where a shell would read it in another way. What is not seen stands as its code point.
    static func quoted(_ word: String) -> String {
        let shown = VisibleText.shown(word)
        guard shown.isEmpty || !shown.utf8.allSatisfy(isPlain) else { return shown }
        return "'" + shown.replacing("'", with: "'\\''") + "'"
    }

    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: "-_./:@%+=,".utf8.contains(byte)
        }
    }
}
