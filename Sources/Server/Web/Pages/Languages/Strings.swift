/// Everything that the pages say. A language that lacks a sentence does not compile.
struct Strings: Sendable {
    let footer: String

    let loginHeading: String
    let loginLead: @Sendable (_ app: String) -> String
    let reauthenticateHeading: String
    let reauthenticateLead: @Sendable (_ app: String, _ person: String) -> String
    let usernameLabel: String
    let passwordLabel: String
    let show: String
    let hide: String
    let loginSubmit: String
    let cancel: String
    let wrongCredentials: String
    let busy: String

    let consentHeading: @Sendable (_ app: String) -> String
    let consentLead: @Sendable (_ person: String) -> String
    let consentDestination: @Sendable (_ address: String) -> String
    let unverified: String
    let allow: String
    let deny: String
    let policy: String
    let terms: String
    let scope: @Sendable (_ name: String) -> String

    let logoutHeading: String
    let logoutLead: @Sendable (_ person: String?) -> String
    let logoutSubmit: String
    let stay: String
    let signedOutHeading: String
    let signedOutLead: String
    let signInAgain: String

    let formPostHeading: String
    let formPostLead: String
    let formPostSubmit: String

    let errorHeading: @Sendable (_ kind: ErrorPage.Kind) -> String
    let errorAdvice: @Sendable (_ kind: ErrorPage.Kind) -> String
    let errorDetails: String
    let errorStatus: String
    let errorDetail: String
    let errorReference: String

    let homeHeading: String
    let homeLead: String
    let homeDevelopmentHeading: String
    let homeDevelopmentLead: String
    let tryTitle: String
    let tryText: String
    let trySubmit: String
    let toolTitle: String
    let toolText: String
    let buildTitle: String
    let buildText: String
    let issuer: String
    let discovery: String

    let claimsHeading: String
    let claimsLead: String
    let signedInAt: String
    let signedInBy: String
    let tokenExpires: String
    let idToken: String
    let accessToken: String
    let userInfo: String
    let rawToken: String
    let signOut: String

    let detail: DetailStrings
    let proof: VerificationStrings
    let lost: LostFactorStrings
    let link: LinkStrings
    let account: AccountStrings
    let settings: SettingsStrings
    let passkey: PasskeyStrings
    let device: DeviceStrings
    let time: TimeWords
    let outbox: OutboxStrings
}
