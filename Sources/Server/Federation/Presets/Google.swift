internal import KeyturnBase
internal import Model

extension ProviderPreset {
    /// Google vouches for its own mailboxes and for those of Workspace domains (`hd`). Any other address was verified
    /// once, and may belong to another person by now.
    static let google: ProviderPreset = {
        var preset = ProviderPreset(id: "google", name: "Google")
        preset.issuer = { _ in issuerOfGoogle }
        preset.offlineParameters = ["access_type": "offline"]
        preset.expectedIssuer = { claims, _ in
            ["accounts.google.com", issuerOfGoogle].first { $0 == claims["iss"]?.stringValue }
        }
        preset.emailTrust = { claims, settings in
            guard ProviderClaims.isTrue(claims["email_verified"]), let email = claims["email"]?.stringValue,
                let domain = EmailDomain(ofAddress: email)?.name
            else { return .unverified }
            if ["gmail.com", "googlemail.com"].contains(domain) { return .trusted }
            return claims["hd"]?.stringValue?.lowercased() == domain || settings.trustsEmail ? .trusted : .verified
        }
        return preset
    }()

    private static let issuerOfGoogle = "https://accounts.google.com"
}
