extension Strings {
    static let english = Strings(
        footer: "Secured by Keyturn",
        loginHeading: "Sign in",
        loginLead: { "to continue to \($0)" },
        reauthenticateHeading: "Confirm that it’s you",
        reauthenticateLead: { "\($1), \($0) asks you to sign in again." },
        usernameLabel: "Email, phone or user name",
        passwordLabel: "Password",
        show: "Show",
        hide: "Hide",
        loginSubmit: "Sign in",
        cancel: "Cancel",
        wrongCredentials: "The name or password is incorrect. Check both and try again.",
        busy: "Many people are signing in right now. Try again in a moment.",
        consentHeading: { "Allow \($0)?" },
        consentLead: { "You are signed in as \($0). The app would be able to:" },
        consentDestination: { "You’ll return to \($0) either way." },
        unverified: "This app has not been reviewed. Continue only if you trust who made it.",
        allow: "Allow",
        deny: "Don’t allow",
        policy: "Privacy policy",
        terms: "Terms of service",
        scope: { name in
            switch name {
            case "openid": "Know that it is you"
            case "profile": "See your name and profile"
            case "email": "See your email address"
            case "phone": "See your phone number"
            case "address": "See your postal address"
            case "offline_access": "Keep access while you are away, until you revoke it"
            case "device_sso": "Let its maker’s other apps on this device sign you in"
            default: "Use “\(name)” on your behalf"
            }
        },
        logoutHeading: "Sign out?",
        logoutLead: { $0.map { "You are signed in as \($0)." } ?? "You are signed in on this device." },
        logoutSubmit: "Sign out",
        stay: "Stay signed in",
        signedOutHeading: "You are signed out",
        signedOutLead: "You can close this window.",
        signInAgain: "Sign in again",
        formPostHeading: "One moment",
        formPostLead: "You are being taken back to the app.",
        formPostSubmit: "Continue",
        errorHeading: { kind in
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
            }
        },
        errorAdvice: { kind in
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
            }
        },
        errorDetails: "Details for the app’s maker",
        errorStatus: "Status",
        errorDetail: "Reason",
        errorReference: "Reference",
        homeHeading: "Identity server",
        homeLead: "It is running. Start from an app to sign in.",
        homeDevelopmentHeading: "Keyturn is running",
        homeDevelopmentLead: "A throw-away identity server with a demo user. Everything is deleted when it stops.",
        tryTitle: "Sign in here",
        tryText: "See the pages, and what an app learns about you.",
        trySubmit: "Try signing in",
        toolTitle: "Sign in from the command line",
        toolText: "A browser opens. Afterwards the command line keeps the session and refreshes it.",
        buildTitle: "Sign in from Swift",
        buildText: "The same in an app of yours:",
        issuer: "Issuer",
        discovery: "discovery document",
        claimsHeading: "You are signed in",
        claimsLead: "This is what an app learns about you and your session.",
        signedInAt: "Signed in",
        signedInBy: "With",
        tokenExpires: "Access token valid until",
        idToken: "ID token",
        accessToken: "Access token",
        userInfo: "UserInfo",
        rawToken: "Encoded",
        signOut: "Sign out",
        detail: .english,
        proof: .english,
        lost: .english,
        link: .english,
        account: .english,
        settings: .english,
        passkey: .english,
        device: .english,
        time: .english,
        outbox: .english)
}
