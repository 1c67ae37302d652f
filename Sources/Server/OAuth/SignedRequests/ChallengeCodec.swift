internal import Crypto
internal import Foundation
public import KeyturnBase
public import KeyturnWire
public import Model

/// Makes and checks the challenges in signed requests of devices.
///
/// `version ‖ expiry ‖ random ‖ MAC`, in base64url: no row before an answer, and garbage costs no query. The store
/// remembers the answered ones, by one guarded insert.
public struct ChallengeCodec: Sendable {
    private let keys: [ServerSecrets.Key]
    private let ambient: Ambient
    private static let version: UInt8 = 1
    private static let randomBytes = 16
    private static let macBytes = 24
    private static let bodyBytes = 1 + 8 + randomBytes

    public init(_ secrets: ServerSecrets, ambient: Ambient) {
        keys = secrets.keys(for: .challenge)
        self.ambient = ambient
    }

    /// The purposes of challenges.
    public static let purposes: [ChallengeRequest.Purpose] = [.biometricRequest, .anonymousRequest, .appToAppRequest]

    /// A new challenge; `nil` for an unknown purpose.
    public func make(for purpose: ChallengeRequest.Purpose) -> Challenge? {
        guard Self.purposes.contains(purpose) else { return nil }
        let end = ambient.now() + Limits.challengeSeconds
        var body = [Self.version]
        for shift in stride(from: 56, through: 0, by: -8) {
            body.append(UInt8(truncatingIfNeeded: end.rawValue >> Int64(shift)))
        }
        body += ambient.randomBytes(Self.randomBytes)
        let token = Base64URL.encode(body + Self.mac(body, purpose, keys[0]))
        let time = Date(timeIntervalSince1970: TimeInterval(end.rawValue))
        return Challenge(token: token, expiresAt: time.formatted(.iso8601))
    }

    /// The replay mark of a challenge; `nil` if it is not one of this server for this purpose, or too old.
    func mark(_ token: String, for purpose: ChallengeRequest.Purpose, at now: UnixTime) -> ReplayMark? {
        guard token.utf8.count <= 128, let bytes = Base64URL.decode(token),
            bytes.count == Self.bodyBytes + Self.macBytes, bytes[0] == Self.version
        else { return nil }
        let body = Array(bytes[..<Self.bodyBytes])
        let mac = Array(bytes[Self.bodyBytes...])
        guard keys.contains(where: { ConstantTime.equal(Self.mac(body, purpose, $0), mac) }) else { return nil }
        let end = UnixTime(rawValue: body[1..<9].reduce(0) { $0 << 8 | Int64($1) })
        guard now < end else { return nil }
        return ReplayMark(of: bytes, expiresAt: end + Limits.spentMarginSeconds)
    }

    private static func mac(_ body: [UInt8], _ purpose: ChallengeRequest.Purpose, _ key: ServerSecrets.Key) -> [UInt8] {
        let text = Array(purpose.rawValue.utf8) + [0] + body
        return Array(HMAC<SHA256>.authenticationCode(for: text, using: key.key).prefix(macBytes))
    }
}
