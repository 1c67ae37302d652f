internal import Model

/// What people are told about changes to their accounts, in German.
enum GermanNotices {
    static func words(_ kind: MessageKind, _ facts: MessageFacts) -> MessageWords {
        let (subject, heading, sentence) = said(kind, facts)
        return MessageWords(
            subject: subject, heading: heading, paragraphs: [sentence] + (origin(facts).map { [$0] } ?? []),
            action: action(kind), note: note(kind, facts.app), short: "\(sentence) \(short(kind))")
    }

    private static func said(_ kind: MessageKind, _ facts: MessageFacts) -> (String, String, String) {
        let app = facts.app
        let account = "Ihrem Konto bei \(app)"
        switch kind {
        case .passwordChanged:
            return (
                "Ihr Passwort bei \(app) wurde geändert", "Ihr Passwort wurde geändert",
                "Das Passwort Ihres Kontos bei \(app) wurde geändert."
            )
        case .passkeyAdded:
            return (
                "Neuer Passkey für Ihr Konto bei \(app)", "Ein Passkey wurde hinzugefügt",
                "Ein neuer Passkey kann sich bei \(account) anmelden."
            )
        case .passkeyRemoved:
            return (
                "Ein Passkey Ihres Kontos bei \(app) wurde entfernt", "Ein Passkey wurde entfernt",
                "Einer Ihrer Passkeys kann sich nicht mehr bei \(account) anmelden."
            )
        case .authenticatorAdded:
            return (
                "Neue Authenticator-App für Ihr Konto bei \(app)", "Eine Authenticator-App wurde hinzugefügt",
                "Die Anmeldung bei \(account) fragt jetzt nach Codes einer neuen Authenticator-App."
            )
        case .authenticatorRemoved:
            return (
                "Die Authenticator-App Ihres Kontos bei \(app) wurde entfernt", "Eine Authenticator-App wurde entfernt",
                "Die Anmeldung bei \(account) fragt nicht mehr nach Codes Ihrer Authenticator-App."
            )
        case .biometricKeyAdded:
            return (
                "Ein Gerät kann jetzt Ihr Konto bei \(app) öffnen",
                "Anmelden mit Fingerabdruck oder Gesicht ist eingeschaltet",
                "Ein Gerät kann sich jetzt mit Fingerabdruck oder Gesicht bei \(account) anmelden."
            )
        case .biometricKeyRemoved:
            return (
                "Ein Gerät kann Ihr Konto bei \(app) nicht mehr öffnen",
                "Anmelden mit Fingerabdruck oder Gesicht ist ausgeschaltet",
                "Ein Gerät kann sich nicht mehr mit Fingerabdruck oder Gesicht bei \(account) anmelden."
            )
        default: return address(kind, facts) ?? session(kind, facts)
        }
    }

    private static func address(_ kind: MessageKind, _ facts: MessageFacts) -> (String, String, String)? {
        let app = facts.app
        let new = facts.newAddress.map { ": \($0)" } ?? ""
        switch kind {
        case .addressAdded:
            return (
                "Weitere Adresse für Ihr Konto bei \(app)", "Eine weitere Adresse wurde hinzugefügt",
                "Zu Ihrem Konto bei \(app) wurde eine weitere Adresse hinzugefügt\(new)."
            )
        case .addressRemoved:
            let old = facts.oldAddress.map { ": \($0)" } ?? ""
            return (
                "Eine Adresse Ihres Kontos bei \(app) wurde entfernt", "Eine Adresse wurde entfernt",
                "Aus Ihrem Konto bei \(app) wurde eine Adresse entfernt\(old)."
            )
        case .addressChanged:
            return (
                "Ihre Adresse bei \(app) wurde geändert", "Ihre Adresse wurde geändert",
                "Die Adresse Ihres Kontos bei \(app) wurde geändert\(new)."
            )
        default: return nil
        }
    }

    private static func session(_ kind: MessageKind, _ facts: MessageFacts) -> (String, String, String) {
        let app = facts.app
        switch kind {
        case .recoveryBegun:
            let ready = facts.readyAt.map { " ab \($0)" } ?? " bald"
            return (
                "Ihre Passkeys bei \(app) werden entfernt", "Eine Wiederherstellung hat begonnen",
                """
                Eine Wiederherstellung Ihres Kontos bei \(app) hat begonnen. Seine Passkeys und seine Authenticator-App \
                können\(ready) entfernt werden.
                """
            )
        case .identityLinked:
            return (
                "Ein Anbieter wurde mit Ihrem Konto bei \(app) verknüpft", "Ein weiterer Weg zur Anmeldung",
                "Mit einem anderen Dienst kann man sich jetzt bei Ihrem Konto bei \(app) anmelden."
            )
        case .identityUnlinked:
            return (
                "Ein Anbieter wurde von Ihrem Konto bei \(app) getrennt", "Ein Weg zur Anmeldung wurde entfernt",
                "Mit einem anderen Dienst kann man sich nicht mehr bei Ihrem Konto bei \(app) anmelden."
            )
        case .signInRequested:
            let client = facts.clientName ?? app
            return (
                "\(client) bittet um Ihre Zustimmung", "Anmeldung zulassen?",
                """
                \(client) möchte Sie mit Ihrem Konto bei \(app) anmelden. Lassen Sie das nur zu, wenn Sie es selbst \
                begonnen haben.
                """
            )
        case .recoveryFinished:
            return (
                "Ihr Konto bei \(app) wurde wiederhergestellt", "Ihr Konto wurde wiederhergestellt",
                """
                Die Passkeys und die Authenticator-App Ihres Kontos bei \(app) wurden entfernt, und jede Sitzung wurde \
                beendet.
                """
            )
        default:
            let client = facts.clientName.map { " in \($0)" } ?? ""
            return (
                "Sie wurden bei \(app) aus einer App abgemeldet", "Eine Sitzung wurde beendet",
                """
                Ihre Sitzung\(client) bei \(app) wurde beendet, weil zwei Programme denselben Schlüssel zu ihr benutzt haben: \
                Einer kann eine Kopie sein.
                """
            )
        }
    }

    /// When it happened, and from where.
    static func origin(_ facts: MessageFacts) -> String? {
        let device = facts.device?.replacing(" on ", with: " unter ")
        let place = [
            device, facts.country.map { CountryName.text($0, in: "de") },
            facts.networkAddress.map { "Netzadresse \($0)" },
        ].compactMap(\.self)
        let parts = [
            facts.when.map { "Wann: \($0)." },
            place.isEmpty ? nil : "Von: \(place.joined(separator: ", ")).",
        ].compactMap(\.self)
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    private static func action(_ kind: MessageKind) -> String {
        kind == .recoveryBegun ? "Wiederherstellung abbrechen" : "Konto prüfen"
    }

    private static func note(_ kind: MessageKind, _ app: String) -> String {
        switch kind {
        case .passwordChanged:
            """
            Waren Sie das, ist nichts zu tun. Waren Sie es nicht: Öffnen Sie die Anmeldeseite, wählen Sie über \
            „Passwort vergessen?“ ein neues, prüfen Sie dann Ihre Einstellungen und beenden Sie jede Sitzung, die Sie \
            nicht kennen.
            """
        case .recoveryBegun:
            """
            Waren Sie das, ist nichts zu tun. Waren Sie es nicht: Brechen Sie ab und wählen Sie ein neues Passwort, \
            denn jemand anderes kennt Ihres.
            """
        case .addressRemoved, .addressChanged:
            """
            Waren Sie das, ist nichts zu tun. Waren Sie es nicht: Melden Sie sich an, tragen Sie Ihre Adresse wieder \
            ein und wählen Sie ein neues Passwort. Können Sie sich nicht mehr anmelden, wenden Sie sich gleich an \(app).
            """
        case .sessionEnded:
            """
            Melden Sie sich in der App neu an. Haben Sie ihre Daten umgezogen oder wiederhergestellt, war es das. Wenn \
            nicht: Prüfen Sie die Geräte in Ihren Einstellungen und wählen Sie ein neues Passwort.
            """
        default:
            """
            Waren Sie das, ist nichts zu tun. Waren Sie es nicht: Wählen Sie gleich ein neues Passwort, machen Sie die \
            Änderung dann in Ihren Einstellungen rückgängig und beenden Sie jede Sitzung, die Sie nicht kennen.
            """
        }
    }

    private static func short(_ kind: MessageKind) -> String {
        switch kind {
        case .recoveryBegun: "Nicht Sie? Hier abbrechen:"
        case .sessionEnded: "Nicht Sie? Prüfen Sie Ihr Konto:"
        default: "Nicht Sie? Wählen Sie ein neues Passwort und prüfen Sie Ihr Konto:"
        }
    }
}
