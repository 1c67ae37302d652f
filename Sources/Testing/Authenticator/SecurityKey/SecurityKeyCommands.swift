internal import Crypto
internal import KeyturnBase
internal import KeyturnWebAuthn

/// Runs the commands of a security key (CTAP 2.2 §6): the first byte is the command, then CBOR; the answer begins with
/// a status.
struct SecurityKeyCommands: Sendable {
    var authenticator: SoftwareAuthenticator
    var behaviour: SoftwareSecurityKey.Behaviour
    var pins = SecurityKeyPINs()
    /// The names of accounts, by credential.
    private var names: [[UInt8]: (name: String, displayName: String)] = [:]
    /// The assertions not yet fetched.
    private var pending: [(id: [UInt8], hash: [UInt8], isVerified: Bool)] = []

    struct Refusal: Error {
        let status: UInt8
    }

    init(_ authenticator: SoftwareAuthenticator, _ behaviour: SoftwareSecurityKey.Behaviour) {
        self.authenticator = authenticator
        self.behaviour = behaviour
    }

    var pinTriesLeft: Int { pins.triesLeft }

    /// Whether the user must touch the key for this command: to make a credential, to sign, to select the key.
    func mustBeTouched(_ message: [UInt8]) -> Bool {
        [0x01, 0x02, 0x0B].contains(message.first)
    }

    mutating func answer(_ message: [UInt8]) -> [UInt8] {
        do {
            let arguments = message.count > 1 ? try CBORValue(decoding: message.dropFirst()).mapValue : CBORMap([])
            guard let arguments else { throw Refusal(status: 0x11) }
            let answer: CBORMap
            switch message.first {
            case 0x01: answer = try makeCredential(arguments)
            case 0x02: answer = try getAssertion(arguments)
            case 0x04: answer = information
            case 0x06: answer = try pins.answer(arguments, pin: behaviour.pin)
            case 0x08: answer = try nextAssertion()
            case 0x0B: return [0]
            default: throw Refusal(status: 0x01)
            }
            return answer.entries.isEmpty ? [0] : [0] + CBORValue.map(answer).encoded
        } catch let refusal as Refusal {
            return [refusal.status]
        } catch let refusal as SoftwareAuthenticator.Refusal {
            let statuses: [SoftwareAuthenticator.Refusal: UInt8] = [
                .excluded: 0x19, .noCredential: 0x2E, .noAlgorithm: 0x26,
            ]
            return [statuses[refusal] ?? 0x7F]
        } catch {
            return [0x12]
        }
    }

    private var information: CBORMap {
        var options: [(CBORValue, CBORValue)] = [
            (.text("rk"), .bool(behaviour.keepsDiscoverable)), (.text("up"), .bool(true)),
            (.text("clientPin"), .bool(behaviour.pin != nil)),
        ]
        if behaviour.fingerprint != nil { options.append((.text("uv"), .bool(true))) }
        return CBORMap([
            (.unsigned(1), .array([.text("FIDO_2_0")])),
            (.unsigned(3), .bytes(authenticator.behaviour.aaguid.bytes)),
            (.unsigned(4), .map(CBORMap(options))), (.unsigned(5), .unsigned(1_200)),
            (.unsigned(6), .array([.unsigned(1)])),
        ])
    }

    private mutating func makeCredential(_ arguments: CBORMap) throws -> CBORMap {
        guard let hash = arguments[1]?.bytesValue, let rpID = arguments[2]?.mapValue?["id"]?.textValue,
            let user = arguments[3]?.mapValue, let handle = user["id"]?.bytesValue,
            let algorithms = arguments[4]?.arrayValue
        else { throw Refusal(status: 0x14) }
        let options = arguments[7]?.mapValue
        if options?["rk"] == .bool(true), !behaviour.keepsDiscoverable { throw Refusal(status: 0x2B) }
        let isVerified = try verify(options, hash, arguments[8]?.bytesValue)
        guard isVerified || behaviour.pin == nil || !behaviour.demandsPIN else { throw Refusal(status: 0x36) }
        authenticator.behaviour.isUserVerified = isVerified
        let made = try authenticator.makeCredential(
            rpID: rpID, userHandle: handle, algorithms: algorithms.compactMap { $0.mapValue?["alg"]?.integerValue },
            excluded: Self.identifiers(arguments[5]), clientDataHash: hash)
        names[made.id] = (user["name"]?.textValue ?? "", user["displayName"]?.textValue ?? "")
        return CBORMap([
            (.unsigned(1), .text(made.format)), (.unsigned(2), .bytes(made.authenticatorData)),
            (.unsigned(3), made.statement),
        ])
    }

    private mutating func getAssertion(_ arguments: CBORMap) throws -> CBORMap {
        guard let rpID = arguments[1]?.textValue, let hash = arguments[2]?.bytesValue else {
            throw Refusal(status: 0x14)
        }
        let isVerified = try verify(arguments[5]?.mapValue, hash, arguments[6]?.bytesValue)
        let allowed = Self.identifiers(arguments[3])
        var found = authenticator.fitting(rpID: rpID, allowed: allowed)
        guard !found.isEmpty else { throw SoftwareAuthenticator.Refusal.noCredential }
        if !allowed.isEmpty { found = [found[0]] }
        pending = found.map { ($0, hash, isVerified) }
        return try nextAssertion(count: found.count)
    }

    private mutating func nextAssertion(count: Int? = nil) throws -> CBORMap {
        guard !pending.isEmpty else { throw Refusal(status: 0x30) }
        let (id, hash, isVerified) = pending.removeFirst()
        authenticator.behaviour.isUserVerified = isVerified
        let signed = try authenticator.sign(with: id, clientDataHash: hash)
        var members: [(CBORValue, CBORValue)] = [
            (.unsigned(1), .map(CBORMap([(.text("id"), .bytes(id)), (.text("type"), .text("public-key"))]))),
            (.unsigned(2), .bytes(signed.authenticatorData)), (.unsigned(3), .bytes(signed.signature)),
        ]
        if let handle = signed.userHandle {
            var user: [(CBORValue, CBORValue)] = [(.text("id"), .bytes(handle))]
            // The accounts' names are returned only to a verified user (§6.2.2).
            if isVerified, let known = names[id] {
                user += [(.text("name"), .text(known.name)), (.text("displayName"), .text(known.displayName))]
            }
            members.append((.unsigned(4), .map(CBORMap(user))))
        }
        if let count, count > 1 { members.append((.unsigned(5), .unsigned(UInt64(count)))) }
        return CBORMap(members)
    }

    /// Whether the user was verified: by the PIN, or by the key itself if the request asked for that.
    private func verify(_ options: CBORMap?, _ hash: [UInt8], _ parameter: [UInt8]?) throws -> Bool {
        if let parameter {
            guard pins.isProof(parameter, of: hash) else { throw Refusal(status: 0x33) }
            return true
        }
        guard options?["uv"] == .bool(true) else { return false }
        switch behaviour.fingerprint {
        case .recognised: return true
        case .unknown: throw Refusal(status: 0x3F)
        case nil: throw Refusal(status: 0x2B)
        }
    }

    private static func identifiers(_ list: CBORValue?) -> [[UInt8]] {
        (list?.arrayValue ?? []).compactMap { $0.mapValue?["id"]?.bytesValue }
    }
}
