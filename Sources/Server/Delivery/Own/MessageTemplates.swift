internal import KeyturnWire
internal import Model

/// The operator's own words: a folder for each template, in it a file for each kind of message, language and part.
///
/// `welcome/code.en.txt` is the mail of the template `welcome` with a code in English: a line with its subject, an empty
/// one, and the text. `welcome/code.en.html` is the same as a page; `.sms.txt` and `.voice.txt` are for telephones.
public struct MessageTemplates: Hashable, Sendable {
    /// What is wrong with a folder.
    public struct Flaw: Error, Hashable, Sendable {
        /// The file below the folder; empty for the folder itself.
        public let file: String
        /// From 1; `nil`: the whole file.
        public let line: Int?
        /// What is wrong, without a final stop.
        public let detail: String
        /// What to do about it, as a whole sentence.
        public let remedy: String
    }

    /// The template of requests that name none.
    public static let standard = "default"

    /// For what a file is.
    struct Key: Hashable, Sendable {
        let template: String
        let kind: MessageKind
        let part: Part
    }

    /// What of a message a file is, by the ending of its name.
    enum Part: String, CaseIterable, Sendable {
        case mail = "txt"
        case page = "html"
        case short = "sms.txt"
        case spoken = "voice.txt"

        /// What a message of a channel is made from.
        static func of(_ channel: DeliveryMethod) -> Part {
            switch channel {
            case .email: .mail
            case .sms, .whatsapp, .push: .short
            case .voice: .spoken
            }
        }
    }

    /// One file.
    struct Words: Hashable, Sendable {
        /// Of mails.
        let subject: MessageTemplate?
        let body: MessageTemplate
    }

    /// By language.
    private let words: [Key: [String: Words]]
    private let ids: Set<String>

    init(words: [Key: [String: Words]]) {
        self.words = words
        ids = Set(words.keys.map(\.template))
    }

    /// Whether there is a template of this name.
    public func contains(_ id: String) -> Bool { ids.contains(id) }

    /// What the operator wrote for a message; `nil`: nothing, the built-in words are used.
    ///
    /// - Returns: the words, their page if they have one, and their language: the nearest to what was asked for, else
    ///   English, else any.
    func find(_ message: OutgoingMessage) -> (words: Words, page: MessageTemplate?, language: String)? {
        let asked = message.template.flatMap { contains($0) ? $0 : nil }
        let wanted = (message.locale ?? "").prefix { $0 != "-" && $0 != "_" }.lowercased()
        for template in [asked, Self.standard].compactMap({ $0 }) {
            let key = Key(template: template, kind: message.kind, part: .of(message.channel))
            guard let all = words[key],
                let language = [wanted, "en"].first(where: { all[$0] != nil }) ?? all.keys.min(),
                let found = all[language]
            else { continue }
            let pages = words[Key(template: template, kind: message.kind, part: .page)]
            return (found, message.channel == .email ? pages?[language]?.body : nil, language)
        }
        return nil
    }
}
