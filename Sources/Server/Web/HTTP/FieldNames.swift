internal import HTTPTypes
internal import KeyturnWire

/// Header fields that the HTTP library does not name. The names are well-formed, so the fallbacks never happen.
extension HTTPField.Name {
    static let asUser = HTTPField.Name("As-User") ?? .from
    static let crossOriginOpenerPolicy = HTTPField.Name("Cross-Origin-Opener-Policy") ?? .xContentTypeOptions
    static let dpop = HTTPField.Name("DPoP") ?? .authorization
    static let dpopNonce = HTTPField.Name("DPoP-Nonce") ?? .wwwAuthenticate
    static let idempotencyKey = HTTPField.Name(KeyServicePaths.idempotencyKey) ?? .from
    static let pragma = HTTPField.Name("Pragma") ?? .cacheControl
    static let referrerPolicy = HTTPField.Name("Referrer-Policy") ?? .xContentTypeOptions
    static let secFetchSite = HTTPField.Name("Sec-Fetch-Site") ?? .origin
    static let xForwardedFor = HTTPField.Name("X-Forwarded-For") ?? .from
    static let xFrameOptions = HTTPField.Name("X-Frame-Options") ?? .xContentTypeOptions
    static let xSDK = HTTPField.Name("X-SDK") ?? .userAgent
}
