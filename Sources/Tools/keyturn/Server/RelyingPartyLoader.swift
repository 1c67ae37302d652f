internal import Attestation
internal import Foundation
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import Logging
internal import Model
internal import SignIn
internal import SwiftASN1

/// Makes relying parties from the configuration: reads the certificates and the metadata that vouch for authenticators.
struct RelyingPartyLoader {
    let store: any PasskeyStore
    let logger: Logger
    let ambient: Ambient

    /// A blob that is no longer the newest is used for so long, in seconds: a download that fails is noticed first.
    private static let toleranceSeconds: Int64 = 30 * 86_400

    /// - Throws: ``CommandFailure`` for a file that cannot be read, or is not what it should be.
    func load(_ configurations: [PasskeyConfiguration]) async throws -> [RelyingParty] {
        var parties: [RelyingParty] = []
        for configuration in configurations {
            let trust = try await trust(configuration)
            let policy: WebAuthnPolicy
            do {
                policy = try configuration.policy()
            } catch {
                throw CommandFailure.refused("passkeys, \(configuration.rpID): \(error.detail).")
            }
            parties.append(
                RelyingParty(
                    policy: policy, publishableKey: configuration.publishableKey,
                    secretKeys: configuration.secretKeys, appleApps: configuration.appleApps,
                    androidApps: configuration.androidApps, trust: trust))
        }
        return parties
    }

    private func trust(_ configuration: PasskeyConfiguration) async throws -> (any AttestationTrust)? {
        var trust: (any AttestationTrust)?
        if let path = configuration.attestationRoots { trust = CertificateTrust(roots: try certificates(path)) }
        guard let path = configuration.metadata, let roots = configuration.metadataRoots else { return trust }
        do {
            let blob = try await MetadataBlob(
                verifying: Array(try read(path)), roots: try certificates(roots), host: configuration.metadataHost,
                lastNumber: try await store.metadataNumber(of: configuration.metadataHost),
                toleranceSeconds: Self.toleranceSeconds,
                at: ambient.now())
            try await store.raiseMetadataNumber(to: blob.number, of: configuration.metadataHost)
            if blob.nextUpdate <= ambient.now() {
                logger.warning("the metadata of authenticators is old: fetch it anew", metadata: ["file": "\(path)"])
            }
            return MetadataTrust(blob, otherwise: trust)
        } catch let problem as MetadataProblem where problem.rule == .expired {
            // Sign-ins go on; models that only the blob knows are unknown until it is fetched anew.
            logger.error("the metadata of authenticators has expired: fetch it anew", metadata: ["file": "\(path)"])
            return trust
        } catch let problem as MetadataProblem {
            throw CommandFailure.refused("\(path): \(problem.detail).")
        }
    }

    private func certificates(_ path: String) throws -> [[UInt8]] {
        let text = String(decoding: try read(path), as: UTF8.self)
        guard let documents = try? PEMDocument.parseMultiple(pemString: text), !documents.isEmpty,
            documents.allSatisfy({ $0.discriminator == "CERTIFICATE" })
        else { throw CommandFailure.refused("\(path): it holds no certificates in PEM form.") }
        return documents.map(\.derBytes)
    }

    private func read(_ path: String) throws -> Data {
        do {
            return try Data(contentsOf: URL(filePath: path))
        } catch {
            throw CommandFailure.refused("\(path): it cannot be read.")
        }
    }
}
