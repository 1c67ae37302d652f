internal import Model
internal import Texts

/// The words of messages that carry a code or a link.
struct ProofWords {
    private let texts: TextGroup
    private let facts: MessageFacts
    private let app: [String: any TextValue]

    init(_ texts: TextGroup, _ facts: MessageFacts) {
        self.texts = texts
        self.facts = facts
        app = ["app": facts.app]
    }

    var code: MessageWords {
        MessageWords(
            subject: texts["code.subject", app], heading: texts["code.heading"],
            paragraphs: [limited(facts.hasLink ? texts["code.typeOrOpen", app] : texts["code.type", app])],
            action: facts.hasLink ? texts["code.signIn"] : texts["code.goOn"],
            note: texts.joined(texts["code.note", app], texts["ignore"]), short: short ?? texts["code.short", app])
    }

    var magicLink: MessageWords {
        MessageWords(
            subject: texts["magicLink.subject", app], heading: texts["magicLink.heading", app],
            paragraphs: [limited(texts["magicLink.text"])], action: texts["magicLink.action"], note: texts["ignore"],
            short: texts["magicLink.short", app])
    }

    var enchantedLink: MessageWords {
        MessageWords(
            subject: texts["enchantedLink.subject", app], heading: texts["enchantedLink.heading"],
            paragraphs: [limited(texts["enchantedLink.text"])],
            note: texts.joined(texts["ignore"], texts["enchantedLink.note"]),
            short: texts["enchantedLink.short", app])
    }

    var passwordReset: MessageWords {
        MessageWords(
            subject: texts["passwordReset.subject", app], heading: texts["passwordReset.heading"],
            paragraphs: [limited(texts["passwordReset.text", app])], action: texts["passwordReset.action"],
            note: texts.joined(texts["ignore"], texts["passwordReset.note"]),
            short: texts["passwordReset.short", app])
    }

    var verifyAddress: MessageWords {
        MessageWords(
            subject: texts["verifyAddress.subject", app], heading: texts["verifyAddress.heading"],
            paragraphs: [limited(texts["verifyAddress.text", app])], action: texts["verifyAddress.action"],
            note: texts["ignore"], short: short ?? texts["verifyAddress.short", app])
    }

    var recoveryProof: MessageWords {
        MessageWords(
            subject: texts["recoveryProof.subject", app], heading: texts["recoveryProof.heading"],
            paragraphs: [limited(texts["recoveryProof.text", app])], note: texts["recoveryProof.note", app],
            short: facts.code.map { texts["recoveryProof.shortCode", ["code": $0, "app": facts.app]] }
                ?? texts["recoveryProof.short", app])
    }

    private var short: String? {
        facts.code.map { texts["codeShort", ["code": $0, "app": facts.app]] }
    }

    /// The sentence, and how long and how often the code or link can be used.
    private func limited(_ sentence: String) -> String {
        texts.joined(
            sentence,
            facts.minutes.flatMap { Int($0) }.map { texts["lifetime.within", count: $0] } ?? texts["lifetime.once"])
    }
}
