internal import KeyturnBase

/// The tokens that Box's SDK kept in its keychain store, to 5.6: one item for all.
enum BoxItem {
    static let place = LegacySessionItem(service: "com.box.SwiftSDK", account: "TokenInfo")

    /// Without `expiresAt` the access token counts as over.
    static func read(_ data: [UInt8]) -> Result<LegacyTokens, AuthError> {
        guard let json = LegacyDecoding.object(data), let access = LegacyDecoding.token(json["accessToken"]) else {
            return .failure(LegacyDecoding.damaged)
        }
        guard let refresh = LegacyDecoding.token(json["refreshToken"]) else {
            return .failure(LegacyDecoding.notRenewable)
        }
        let end = LegacyDecoding.date(json["expiresAt"])
        return .success(
            LegacyTokens(accessToken: access, refreshToken: refresh, end: end.map { .at($0) } ?? .over))
    }
}

/// The token that Box's generated SDK keeps in its keychain storage, from 6 on: one item for all, unless the app named
/// another.
enum BoxGeneratedItem {
    static let place = LegacySessionItem(service: "swift-generated-sdk", account: "AccessToken")

    /// It says how long the token was good for, and not from when on. So it counts as over.
    static func read(_ data: [UInt8]) -> Result<LegacyTokens, AuthError> {
        guard let json = LegacyDecoding.object(data), let access = LegacyDecoding.token(json["access_token"]) else {
            return .failure(LegacyDecoding.damaged)
        }
        guard let refresh = LegacyDecoding.token(json["refresh_token"]) else {
            return .failure(LegacyDecoding.notRenewable)
        }
        return .success(LegacyTokens(accessToken: access, refreshToken: refresh, end: .over))
    }
}
