/// What the error page says.
struct ErrorStrings: PageStrings {
    let heading: @Sendable (_ kind: ErrorPage.Kind) -> String
    let advice: @Sendable (_ kind: ErrorPage.Kind) -> String
    let details: String
    let status: String
    let detail: String
    let reference: String
}

extension ErrorStrings {
    static let english = ErrorStrings(
        heading: { kind in
            switch kind {
            case .badRequest: "This request doesn’t work"
            case .unknownClient: "Unknown app"
            case .redirectMismatch: "This app’s address doesn’t match"
            case .expired: "This page has expired"
            case .cookiesBlocked: "This form could not be accepted"
            case .tooLarge: "This request is too large"
            case .notFound: "Page not found"
            case .serverTrouble: "Something went wrong on our side"
            case .methodNotAllowed: "This address can’t be used this way"
            case .otherAccount: "Another account is signed in here"
            }
        },
        advice: { kind in
            switch kind {
            case .badRequest: "Go back to the app and try again. If it happens again, its maker needs to fix it."
            case .unknownClient: "The app that sent you is not registered. Its maker needs to register it."
            case .redirectMismatch:
                "To keep you safe, we did not send you there. The app’s maker needs to register its address."
            case .expired: "Go back to the app and start again."
            case .cookiesBlocked: "Allow cookies for this site, go back to the app, and start again."
            case .tooLarge: "Go back to the app and try again with less data."
            case .notFound: "Check the address, or go back to the app."
            case .serverTrouble: "Try again in a moment. Nothing was changed."
            case .methodNotAllowed: "Go back to the app and start again."
            case .otherAccount:
                "Your app uses one account, and this browser another one. Sign out in this browser, go back to the app, and try again."
            }
        },
        details: "Details for the app’s maker",
        status: "Status",
        detail: "Reason",
        reference: "Reference")

    static let german = ErrorStrings(
        heading: { kind in
            switch kind {
            case .badRequest: "Diese Anfrage funktioniert nicht"
            case .unknownClient: "Unbekannte App"
            case .redirectMismatch: "Die Adresse dieser App passt nicht"
            case .expired: "Diese Seite ist abgelaufen"
            case .cookiesBlocked: "Dieses Formular wird nicht angenommen"
            case .tooLarge: "Diese Anfrage ist zu groß"
            case .notFound: "Seite nicht gefunden"
            case .serverTrouble: "Bei uns ist etwas schiefgegangen"
            case .methodNotAllowed: "So lässt sich diese Adresse nicht verwenden"
            case .otherAccount: "Hier ist ein anderes Konto angemeldet"
            }
        },
        advice: { kind in
            switch kind {
            case .badRequest:
                "Gehen Sie zurück zur App und versuchen Sie es noch einmal. Passiert es wieder, muss ihr Hersteller es beheben."
            case .unknownClient: "Die App, von der Sie kommen, ist nicht registriert. Das muss ihr Hersteller tun."
            case .redirectMismatch:
                "Zu Ihrer Sicherheit leiten wir Sie nicht weiter. Der Hersteller der App muss ihre Adresse registrieren."
            case .expired: "Gehen Sie zurück zur App und beginnen Sie von vorn."
            case .cookiesBlocked:
                "Erlauben Sie Cookies für diese Seite, gehen Sie zurück zur App und beginnen Sie von vorn."
            case .tooLarge: "Gehen Sie zurück zur App und versuchen Sie es mit weniger Daten."
            case .notFound: "Prüfen Sie die Adresse, oder gehen Sie zurück zur App."
            case .serverTrouble: "Versuchen Sie es gleich noch einmal. Es wurde nichts verändert."
            case .methodNotAllowed: "Gehen Sie zurück zur App und beginnen Sie von vorn."
            case .otherAccount:
                "Ihre App benutzt ein Konto und dieser Browser ein anderes. Melden Sie sich in diesem Browser ab, gehen Sie zurück zur App und versuchen Sie es noch einmal."
            }
        },
        details: "Angaben für den Hersteller der App",
        status: "Status",
        detail: "Grund",
        reference: "Kennung")
}
