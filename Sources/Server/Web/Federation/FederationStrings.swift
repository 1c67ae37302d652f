internal import SignIn

/// What pages say about identity providers.
struct FederationStrings: PageStrings {
    let continueWith: @Sendable (_ provider: String) -> String
    let organisation: String
    let departing: @Sendable (_ provider: String) -> String
    let departingLead: String
    let lastUsed: String
    let problem: @Sendable (FederationProblem, _ provider: String) -> String
    let pending: @Sendable (_ provider: String) -> String
}

extension FederationStrings {
    static let english = FederationStrings(
        continueWith: { "Continue with \($0)" },
        organisation: "Continue with your organisation",
        departing: { "On the way to \($0)" },
        departingLead: "If nothing happens, use the button.",
        lastUsed: "Last used",
        problem: { problem, provider in
            switch problem {
            case .connection(.cancelled): "You cancelled the sign-in at \(provider)."
            case .connection(.denied): "\(provider) did not let you in. Ask its administrator, or use another way."
            case .connection(.unavailable):
                "\(provider) doesn’t answer right now. Try again in a moment, or use another way."
            case .connection(.misconfigured):
                "Signing in with \(provider) is not set up correctly. Use another way; the operator can see why."
            case .connection(.refused):
                "The answer from \(provider) could not be accepted. Try again, or use another way."
            case .refusal(.connectionOff): "Signing in with \(provider) was turned off. Use another way."
            case .refusal(.unknownUser):
                "There is no account for you here yet. Ask for an invitation, or use another way."
            case .refusal(.foreignDomain):
                "\(provider) sent an address that does not belong to your organisation."
            case .refusal(.unprovenAddress):
                "\(provider) does not vouch for your address. Ask your organisation’s administrator, or use another way."
            case .refusal(.disabled): "This account can’t sign in."
            case .refusal(.stale): "\(provider) did not ask you to sign in again. Use another way."
            case .refusal(.state): "The sign-in took too long or was begun in another browser. Try again."
            case .refusal(.singleSignOn): "Your organisation wants you to sign in with \(provider)."
            case .refusal(.taken): "This account at \(provider) is linked to another user here."
            case .otherUser: "You signed in at \(provider) with another account. Use the account that is named here."
            case .noOrganisation: "No organisation uses this address. Check it, or use another way."
            case .passwordHere: "Type the password that you use at \(provider), and sign in here."
            }
        },
        pending: {
            "Sign in, or create an account, to link \($0) with it. From then on, \($0) is enough."
        })

    static let german = FederationStrings(
        continueWith: { "Weiter mit \($0)" },
        organisation: "Weiter mit Ihrer Organisation",
        departing: { "Auf dem Weg zu \($0)" },
        departingLead: "Wenn nichts geschieht, benutzen Sie den Knopf.",
        lastUsed: "Zuletzt benutzt",
        problem: { problem, provider in
            switch problem {
            case .connection(.cancelled): "Sie haben die Anmeldung bei \(provider) abgebrochen."
            case .connection(.denied):
                "\(provider) hat Sie nicht eingelassen. Fragen Sie dort die Verwaltung, oder nehmen Sie einen anderen Weg."
            case .connection(.unavailable):
                "\(provider) antwortet gerade nicht. Versuchen Sie es gleich noch einmal, oder nehmen Sie einen anderen Weg."
            case .connection(.misconfigured):
                "Die Anmeldung mit \(provider) ist nicht richtig eingerichtet. Nehmen Sie einen anderen Weg; der Betreiber sieht, woran es liegt."
            case .connection(.refused):
                "Die Antwort von \(provider) konnte nicht angenommen werden. Versuchen Sie es noch einmal, oder nehmen Sie einen anderen Weg."
            case .refusal(.connectionOff):
                "Die Anmeldung mit \(provider) wurde abgeschaltet. Nehmen Sie einen anderen Weg."
            case .refusal(.unknownUser):
                "Für Sie gibt es hier noch kein Konto. Bitten Sie um eine Einladung, oder nehmen Sie einen anderen Weg."
            case .refusal(.foreignDomain):
                "\(provider) hat eine Adresse gesendet, die nicht zu Ihrer Organisation gehört."
            case .refusal(.unprovenAddress):
                "\(provider) steht für Ihre Adresse nicht ein. Fragen Sie die Verwaltung Ihrer Organisation, oder nehmen Sie einen anderen Weg."
            case .refusal(.disabled): "Mit diesem Konto kann man sich nicht anmelden."
            case .refusal(.stale):
                "\(provider) hat Sie nicht erneut gefragt. Nehmen Sie einen anderen Weg."
            case .refusal(.state):
                "Die Anmeldung hat zu lange gedauert oder wurde in einem anderen Browser begonnen. Versuchen Sie es noch einmal."
            case .refusal(.singleSignOn): "Ihre Organisation möchte, dass Sie sich mit \(provider) anmelden."
            case .refusal(.taken): "Dieses Konto bei \(provider) ist hier mit einem anderen Benutzer verknüpft."
            case .otherUser:
                "Bei \(provider) haben Sie sich mit einem anderen Konto angemeldet. Nehmen Sie das, das hier genannt ist."
            case .noOrganisation:
                "Keine Organisation benutzt diese Adresse. Prüfen Sie sie, oder nehmen Sie einen anderen Weg."
            case .passwordHere:
                "Geben Sie das Passwort ein, das Sie bei \(provider) benutzen, und melden Sie sich hier an."
            }
        },
        pending: {
            "Melden Sie sich an oder legen Sie ein Konto an, um \($0) damit zu verknüpfen. Danach genügt \($0)."
        })
}
