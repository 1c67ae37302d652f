/// What the page says on which something ends.
struct DoneStrings: PageStrings {
    let heading: @Sendable (DonePage.Kind) -> String
    let lead: @Sendable (DonePage.Kind) -> String
    let changePassword: String
}

extension DoneStrings {
    static let english = DoneStrings(
        heading: { kind in
            switch kind {
            case .linkConfirmed: "That’s it"
            case .linkRefused: "You refused"
            case .addressVerified: "Your address is confirmed"
            case .passwordChanged: "Your password is changed"
            case .accountDeleted: "Your account is deleted"
            case .cancelled: "Nothing was changed"
            case .recoveryCancelled: "The recovery is cancelled"
            case .connectionTried: "The connection was tried"
            }
        },
        lead: { kind in
            switch kind {
            case .linkConfirmed: "The window where you started will continue by itself. You can close this one."
            case .linkRefused: "The link no longer works. If you keep getting such messages, change your password."
            case .addressVerified: "It now belongs to your account. You can close this window."
            case .passwordChanged: "Use the new one from now on."
            case .accountDeleted: "You are signed out everywhere. You can close this window."
            case .cancelled: "You can close this window."
            case .connectionTried:
                "The result is shown where you began. You are not signed in. You can close this window."
            case .recoveryCancelled:
                "Your passkeys and your authenticator app stay. If you did not start it, someone else knows your password: choose a new one now."
            }
        },
        changePassword: "Change your password")

    static let german = DoneStrings(
        heading: { kind in
            switch kind {
            case .linkConfirmed: "Das war’s"
            case .linkRefused: "Sie haben abgelehnt"
            case .addressVerified: "Ihre Adresse ist bestätigt"
            case .passwordChanged: "Ihr Passwort ist geändert"
            case .accountDeleted: "Ihr Konto ist gelöscht"
            case .cancelled: "Es wurde nichts geändert"
            case .recoveryCancelled: "Die Wiederherstellung ist abgebrochen"
            case .connectionTried: "Die Verbindung wurde ausprobiert"
            }
        },
        lead: { kind in
            switch kind {
            case .linkConfirmed:
                "Im Fenster, in dem Sie begonnen haben, geht es von selbst weiter. Dieses können Sie schließen."
            case .linkRefused:
                "Der Link gilt nicht mehr. Bekommen Sie öfter solche Nachrichten, ändern Sie Ihr Passwort."
            case .addressVerified: "Sie gehört jetzt zu Ihrem Konto. Sie können dieses Fenster schließen."
            case .passwordChanged: "Benutzen Sie ab jetzt das neue."
            case .accountDeleted: "Sie sind überall abgemeldet. Sie können dieses Fenster schließen."
            case .cancelled: "Sie können dieses Fenster schließen."
            case .connectionTried:
                "Das Ergebnis steht dort, wo Sie begonnen haben. Sie sind nicht angemeldet. Sie können dieses Fenster schließen."
            case .recoveryCancelled:
                "Ihre Passkeys und Ihre Authenticator-App bleiben. Haben Sie sie nicht begonnen, kennt jemand anderes Ihr Passwort: Wählen Sie jetzt ein neues."
            }
        },
        changePassword: "Passwort ändern")
}
