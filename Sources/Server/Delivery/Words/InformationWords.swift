internal import Model
internal import Texts

/// The words of messages about sign-ups, invitations, sign-ins and certificates.
struct InformationWords {
    private let texts: TextGroup
    private let facts: MessageFacts
    private let app: [String: any TextValue]

    init(_ texts: TextGroup, _ facts: MessageFacts) {
        self.texts = texts
        self.facts = facts
        app = ["app": facts.app]
    }

    var alreadyRegistered: MessageWords {
        MessageWords(
            subject: texts["alreadyRegistered.subject", app], heading: texts["alreadyRegistered.heading"],
            paragraphs: [texts["alreadyRegistered.text", app]], action: texts["alreadyRegistered.action"],
            note: texts["ignore"], short: texts["alreadyRegistered.short", app])
    }

    var unknownAccount: MessageWords {
        MessageWords(
            subject: texts["unknownAccount.subject", app], heading: texts["unknownAccount.heading"],
            paragraphs: [texts["unknownAccount.text", app]], action: texts["unknownAccount.action"],
            note: texts["ignore"], short: texts["unknownAccount.short", app])
    }

    var invitation: MessageWords {
        let named = facts.inviter.map { ["app": facts.app, "inviter": $0] as [String: any TextValue] }
        return MessageWords(
            subject: texts["invitation.subject", app], heading: texts["invitation.heading"],
            paragraphs: [named.map { texts["invitation.textNamed", $0] } ?? texts["invitation.text", app]],
            action: texts["invitation.action"], note: texts["invitation.note"],
            short: named.map { texts["invitation.shortNamed", $0] } ?? texts["invitation.short", app])
    }

    var newSignIn: MessageWords {
        let values = facts.values(device: facts.device.map { facts.deviceName($0, texts) }, time: facts.when)
        return MessageWords(
            subject: texts["newSignIn.subject", app], heading: texts["newSignIn.heading"],
            paragraphs: [texts["newSignIn.text", app], facts.origin(texts)].compactMap(\.self),
            action: texts["newSignIn.action"],
            note: texts["newSignIn.note"], short: texts["newSignIn.short", values])
    }

    var certificateExpiring: MessageWords {
        var values = facts.values(time: facts.endsAt)
        values["name"] = facts.connectionName ?? texts["certificateExpiring.provider"]
        let sentence = texts["certificateExpiring.text", values]
        return MessageWords(
            subject: texts["certificateExpiring.subject", values], heading: texts["certificateExpiring.heading"],
            paragraphs: [sentence, texts["certificateExpiring.advice", app]],
            note: texts["certificateExpiring.note", app], short: sentence)
    }
}
