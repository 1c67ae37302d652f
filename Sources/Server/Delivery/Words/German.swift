internal import Model

extension MessageLanguage {
    static let german = MessageLanguage(
        code: "de", words: GermanWords.words,
        spokenCode: { app, digits in "Ihr Code für \(app) lautet: \(digits). Noch einmal: \(digits)." })
}

private enum GermanWords {
    static let ignore = "Waren Sie das nicht, können Sie diese Nachricht ignorieren. Dann geschieht nichts."

    static func words(_ kind: MessageKind, _ facts: MessageFacts) -> MessageWords {
        switch kind {
        case .code, .magicLink, .enchantedLink, .verifyAddress, .passwordReset, .recoveryProof: proof(kind, facts)
        case .alreadyRegistered, .unknownAccount, .invitation, .newSignIn: notice(kind, facts)
        case .passwordChanged, .passkeyAdded, .passkeyRemoved, .authenticatorAdded, .authenticatorRemoved,
            .biometricKeyAdded, .biometricKeyRemoved, .addressAdded, .addressRemoved, .addressChanged, .sessionEnded,
            .recoveryBegun, .recoveryFinished, .identityLinked, .identityUnlinked,
            .signInRequested:
            GermanNotices.words(kind, facts)
        case .certificateExpiring: certificate(facts)
        }
    }

    private static func certificate(_ facts: MessageFacts) -> MessageWords {
        let name = facts.connectionName ?? "Ihrem Identitätsanbieter"
        let end = facts.endsAt.map { "am \($0)" } ?? "bald"
        let sentence = "Das Zertifikat von \(name), mit dem \(facts.app) Anmeldungen prüft, endet \(end)."
        return MessageWords(
            subject: "Das Zertifikat von \(name) endet \(end)", heading: "Ein Zertifikat endet",
            paragraphs: [
                sentence,
                """
                Lassen Sie Ihren Identitätsanbieter das nächste ausstellen, und geben Sie seine Metadaten dem Betreiber \
                von \(facts.app), bevor der Anbieter es benutzt. Bis dahin können beide eingetragen sein.
                """,
            ],
            note: "Anmeldungen gehen weiter, bis der Anbieter einen Schlüssel benutzt, den \(facts.app) nicht kennt.",
            short: sentence)
    }

    private static func proof(_ kind: MessageKind, _ facts: MessageFacts) -> MessageWords {
        let app = facts.app
        let lifetime = facts.minutes.map { " Das geht einmal, innerhalb von \($0) Minuten." } ?? " Das geht einmal."
        switch kind {
        case .magicLink:
            return MessageWords(
                subject: "Anmelden bei \(app)", heading: "Anmelden bei \(app)",
                paragraphs: ["Öffnen Sie diesen Link auf dem Gerät, auf dem Sie sich anmelden wollen.\(lifetime)"],
                action: "Anmelden", note: ignore, short: "Anmelden bei \(app):")
        case .enchantedLink:
            return MessageWords(
                subject: "Anmelden bei \(app)", heading: "Wählen Sie Ihre Zahl",
                paragraphs: ["Ihr anderes Gerät zeigt eine Zahl. Öffnen Sie den Link mit derselben Zahl.\(lifetime)"],
                note: "\(ignore) Sehen Sie nirgends eine Zahl, öffnen Sie keinen davon.",
                short: "Anmelden bei \(app): Öffnen Sie den Link mit der Zahl, die Ihr anderes Gerät zeigt.")
        case .passwordReset:
            return MessageWords(
                subject: "Ein neues Passwort für \(app)", heading: "Ein neues Passwort wählen",
                paragraphs: ["Für \(app) wurde ein neues Passwort angefordert.\(lifetime)"],
                action: "Passwort wählen", note: "\(ignore) Ihr Passwort bleibt, wie es ist.",
                short: "Ein neues Passwort für \(app) wählen:")
        case .verifyAddress:
            return MessageWords(
                subject: "Bestätigen Sie Ihre Adresse für \(app)", heading: "Bestätigen Sie Ihre Adresse",
                paragraphs: ["Bestätigen Sie, dass diese Adresse Ihnen gehört.\(lifetime)"], action: "Bestätigen",
                note: ignore, short: short(facts) ?? "Bestätigen Sie, dass dies Ihre Nummer für \(app) ist:")
        case .recoveryProof:
            return MessageWords(
                subject: "Ihr Code, um einen verlorenen Passkey bei \(app) zu entfernen",
                heading: "Passkey verloren?",
                paragraphs: [
                    """
                    Mit diesem Code beginnen Sie, die Passkeys und die Authenticator-App Ihres Kontos bei \(app) zu \
                    entfernen.\(lifetime)
                    """
                ],
                note: """
                    Geben Sie diesen Code nicht weiter: \(app) fragt Sie nie danach. Waren Sie das nicht, kennt jemand \
                    anderes Ihr Passwort: Wählen Sie ein neues.
                    """,
                short: facts.code.map {
                    "\($0) ist Ihr Code, um einen verlorenen Passkey bei \(app) zu entfernen. Nicht Sie? Ändern Sie Ihr Passwort."
                } ?? "Ihr Code, um einen verlorenen Passkey bei \(app) zu entfernen:")
        default:
            let advice =
                facts.hasLink
                ? "Geben Sie diesen Code dort ein, wo \(app) danach fragt, oder öffnen Sie den Link im selben Browser."
                : "Geben Sie diesen Code dort ein, wo \(app) danach fragt."
            return MessageWords(
                subject: "Ihr Code für \(app)", heading: "Ihr Code",
                paragraphs: ["\(advice)\(lifetime)"], action: facts.hasLink ? "Anmelden" : "Weiter",
                note: "Geben Sie diesen Code nicht weiter: \(app) fragt Sie nie danach. \(ignore)",
                short: short(facts) ?? "Ihr Code für \(app):")
        }
    }

    private static func short(_ facts: MessageFacts) -> String? {
        facts.code.map { "\($0) ist Ihr Code für \(facts.app). Geben Sie ihn nicht weiter." }
    }

    private static func notice(_ kind: MessageKind, _ facts: MessageFacts) -> MessageWords {
        let app = facts.app
        switch kind {
        case .alreadyRegistered:
            return MessageWords(
                subject: "Sie haben schon ein Konto bei \(app)", heading: "Sie haben schon ein Konto",
                paragraphs: [
                    "Mit dieser Adresse wurde eine Registrierung bei \(app) angefordert. Dort gibt es schon ein Konto: Melden Sie sich an."
                ], action: "Anmelden", note: ignore, short: "Sie haben schon ein Konto bei \(app). Melden Sie sich an.")
        case .unknownAccount:
            return MessageWords(
                subject: "Kein Konto bei \(app)", heading: "Es gibt kein Konto",
                paragraphs: [
                    "Mit dieser Adresse wurde eine Anmeldung bei \(app) angefordert. Dort gibt es kein Konto mit ihr."
                ], action: "Registrieren", note: ignore, short: "Bei \(app) gibt es kein Konto mit dieser Nummer.")
        case .invitation:
            let who = facts.inviter.map { "\($0) lädt Sie ein" } ?? "Sie sind eingeladen"
            return MessageWords(
                subject: "Ihre Einladung zu \(app)", heading: "Sie sind eingeladen", paragraphs: ["\(who) zu \(app)."],
                action: "Annehmen", note: "Wissen Sie nicht, worum es geht, können Sie diese Nachricht ignorieren.",
                short: "\(who) zu \(app):")
        default:
            let device = facts.device.map { " mit \($0)" } ?? ""
            let when = facts.when.map { ", \($0)" } ?? ""
            return MessageWords(
                subject: "Neue Anmeldung bei \(app)", heading: "Neue Anmeldung",
                paragraphs: ["Bei Ihrem Konto bei \(app) gab es eine neue Anmeldung."]
                    + (GermanNotices.origin(facts).map { [$0] } ?? []),
                action: "Das war ich nicht", note: "Waren Sie das, ist nichts zu tun.",
                short: "Neue Anmeldung bei \(app)\(device)\(when). Nicht Sie? Beenden Sie sie:")
        }
    }
}
