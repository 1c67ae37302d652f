internal import Model

extension MessageLanguage {
    static let english = MessageLanguage(
        code: "en", words: EnglishWords.words,
        spokenCode: { app, digits in "Your code for \(app) is: \(digits). Once more: \(digits)." })
}

private enum EnglishWords {
    static let ignore = "If this was not you, you can ignore this message. Nothing will happen."

    static func words(_ kind: MessageKind, _ facts: MessageFacts) -> MessageWords {
        switch kind {
        case .code, .magicLink, .enchantedLink, .verifyAddress, .passwordReset, .recoveryProof: proof(kind, facts)
        case .alreadyRegistered, .unknownAccount, .invitation, .newSignIn: notice(kind, facts)
        case .passwordChanged, .passkeyAdded, .passkeyRemoved, .authenticatorAdded, .authenticatorRemoved,
            .biometricKeyAdded, .biometricKeyRemoved, .addressAdded, .addressRemoved, .addressChanged, .sessionEnded,
            .recoveryBegun, .recoveryFinished, .identityLinked, .identityUnlinked,
            .signInRequested:
            EnglishNotices.words(kind, facts)
        case .certificateExpiring: certificate(facts)
        }
    }

    private static func certificate(_ facts: MessageFacts) -> MessageWords {
        let name = facts.connectionName ?? "your identity provider"
        let end = facts.endsAt.map { " on \($0)" } ?? " soon"
        let sentence = "The certificate of \(name), with which \(facts.app) checks its sign-ins, ends\(end)."
        return MessageWords(
            subject: "The certificate of \(name) ends\(end)", heading: "A certificate ends",
            paragraphs: [
                sentence,
                """
                Have your identity provider make the next one, and give its metadata to the operator of \(facts.app) \
                before the provider begins to use it. Both can be listed until then.
                """,
            ],
            note: "Sign-ins go on until the provider uses a key that \(facts.app) does not know.", short: sentence)
    }

    private static func proof(_ kind: MessageKind, _ facts: MessageFacts) -> MessageWords {
        let app = facts.app
        let lifetime = facts.minutes.map { " It can be used once, within \($0) minutes." } ?? " It can be used once."
        switch kind {
        case .magicLink:
            return MessageWords(
                subject: "Sign in to \(app)", heading: "Sign in to \(app)",
                paragraphs: ["Open this link on the device you want to sign in on.\(lifetime)"], action: "Sign in",
                note: ignore, short: "Sign in to \(app):")
        case .enchantedLink:
            return MessageWords(
                subject: "Sign in to \(app)", heading: "Choose your number",
                paragraphs: ["Your other device shows a number. Open the link with the same number.\(lifetime)"],
                note: "\(ignore) If you do not see a number anywhere, do not open any of them.",
                short: "Sign in to \(app): open the link with the number that your other device shows.")
        case .passwordReset:
            return MessageWords(
                subject: "Choose a new password for \(app)", heading: "Choose a new password",
                paragraphs: ["A new password for \(app) was requested.\(lifetime)"],
                action: "Choose a password", note: "\(ignore) Your password stays as it is.",
                short: "Choose a new password for \(app):")
        case .verifyAddress:
            return MessageWords(
                subject: "Confirm your address for \(app)", heading: "Confirm your address",
                paragraphs: ["Confirm to \(app) that this address is yours.\(lifetime)"], action: "Confirm",
                note: ignore, short: short(facts) ?? "Confirm that this is your number for \(app):")
        case .recoveryProof:
            return MessageWords(
                subject: "Your code to remove a lost passkey at \(app)", heading: "Have you lost your passkey?",
                paragraphs: [
                    """
                    With this code you start to remove the passkeys and the authenticator app of your account at \(app).\
                    \(lifetime)
                    """
                ],
                note: """
                    Never share this code: \(app) will not ask you for it. If this was not you, someone else \
                    knows your password: choose a new one.
                    """,
                short: facts.code.map {
                    "\($0) is your code to remove a lost passkey at \(app). Not you? Change your password."
                } ?? "Your code to remove a lost passkey at \(app):")
        default:
            let advice =
                facts.hasLink
                ? "Type this code where \(app) asks for it, or open the link in the same browser."
                : "Type this code where \(app) asks for it."
            return MessageWords(
                subject: "Your code for \(app)", heading: "Your code",
                paragraphs: ["\(advice)\(lifetime)"], action: facts.hasLink ? "Sign in" : "Continue",
                note: "Never share this code: \(app) will not ask you for it. \(ignore)",
                short: short(facts) ?? "Your code for \(app):")
        }
    }

    private static func short(_ facts: MessageFacts) -> String? {
        facts.code.map { "\($0) is your code for \(facts.app). Never share it." }
    }

    private static func notice(_ kind: MessageKind, _ facts: MessageFacts) -> MessageWords {
        let app = facts.app
        switch kind {
        case .alreadyRegistered:
            return MessageWords(
                subject: "You already have an account at \(app)", heading: "You already have an account",
                paragraphs: [
                    "A sign-up at \(app) was requested with this address, which already has an account. Sign in instead."
                ],
                action: "Sign in", note: ignore, short: "You already have an account at \(app). Sign in instead.")
        case .unknownAccount:
            return MessageWords(
                subject: "No account at \(app)", heading: "There is no account",
                paragraphs: [
                    "A sign-in to \(app) was requested with this address, which has no account there."
                ], action: "Sign up", note: ignore, short: "There is no account at \(app) with this number.")
        case .invitation:
            let who = facts.inviter.map { "\($0) invites you" } ?? "You are invited"
            return MessageWords(
                subject: "Your invitation to \(app)", heading: "You are invited", paragraphs: ["\(who) to \(app)."],
                action: "Accept", note: "If you do not know what this is about, you can ignore this message.",
                short: "\(who) to \(app):")
        default:
            let device = facts.device.map { " from \($0)" } ?? ""
            let when = facts.when.map { ", \($0)" } ?? ""
            return MessageWords(
                subject: "New sign-in to \(app)", heading: "New sign-in",
                paragraphs: ["There was a new sign-in to your account at \(app)."]
                    + (EnglishNotices.origin(facts).map { [$0] } ?? []), action: "This was not me",
                note: "If this was you, there is nothing to do.",
                short: "New sign-in to \(app)\(device)\(when). Not you? End it:")
        }
    }
}
