internal import Model
internal import Texts

/// What one message says in one language, before it is laid out.
struct MessageWords: Hashable, Sendable {
    let subject: String
    let heading: String
    let paragraphs: [String]
    /// On the button that follows the link; numbered links show their numbers instead.
    var action: String?
    /// What to do if it was not the reader.
    let note: String
    /// All of it in one or two sentences, for a telephone.
    let short: String
}

/// A language that messages speak: the words of each kind of message, from the texts of the language.
struct MessageLanguage: Sendable {
    let table: TextTable

    /// BCP 47, such as `de`.
    var code: String { table.code }
    var texts: TextGroup { table.group("message") }

    init(_ table: TextTable) { self.table = table }

    /// The language of a tag such as `de-AT`; English if it is not spoken here.
    init(_ locale: String?, in catalog: TextCatalog) {
        table = locale.flatMap { catalog.table($0) } ?? catalog.english
    }

    func words(_ kind: MessageKind, _ facts: MessageFacts) -> MessageWords {
        switch kind {
        case .code: ProofWords(texts, facts).code
        case .magicLink: ProofWords(texts, facts).magicLink
        case .enchantedLink: ProofWords(texts, facts).enchantedLink
        case .passwordReset: ProofWords(texts, facts).passwordReset
        case .verifyAddress: ProofWords(texts, facts).verifyAddress
        case .recoveryProof: ProofWords(texts, facts).recoveryProof
        case .alreadyRegistered: InformationWords(texts, facts).alreadyRegistered
        case .unknownAccount: InformationWords(texts, facts).unknownAccount
        case .invitation: InformationWords(texts, facts).invitation
        case .newSignIn: InformationWords(texts, facts).newSignIn
        case .certificateExpiring: InformationWords(texts, facts).certificateExpiring
        default: NoticeWords(texts, facts).words(kind)
        }
    }

    /// Said by a machine before the digits of a code.
    func spokenCode(_ app: String, _ digits: String) -> String {
        texts["spokenCode", ["app": app, "digits": digits]]
    }
}

extension TextGroup {
    /// Two sentences, with what the language has between them.
    func joined(_ first: String, _ second: String) -> String {
        // The sentences are whole already: no isolates around them.
        let texts = self
        let places = texts["sentences", ["first": "\u{1}", "second": "\u{2}"]]
        return places.filter { !"\u{2068}\u{2069}".contains($0) }
            .replacing("\u{1}", with: first, maxReplacements: 1).replacing("\u{2}", with: second, maxReplacements: 1)
    }
}
