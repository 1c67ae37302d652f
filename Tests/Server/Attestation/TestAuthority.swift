import Crypto
import Foundation
import KeyturnBase
import SwiftASN1
import X509

/// Whoever issues certificates to authenticators, made anew for each test.
struct TestAuthority {
    /// What a certificate is like; everything right unless a test says otherwise.
    struct Form {
        var unit = "Authenticator Attestation"
        var country: String? = "SE"
        var organization: String? = "Keyturn"
        var isAuthority: Bool? = false
        /// Only for authorities.
        var maySign = true
        var from: Int64 = 1_700_000_000
        var until: Int64 = 1_900_000_000
        var serial: [UInt8] = [1, 2, 3]
        /// The model, in its two octet strings.
        var model: [UInt8]?
        var isModelCritical = false
        /// What Android's keystore says about the key, in DER.
        var keyDescription: [UInt8]?
        /// Whether the subject is left empty, as a TPM's.
        var isNameless = false
        /// Names of the device, and usages, in DER; as a TPM's certificate has them.
        var alternativeName: [UInt8]?
        var usages: [UInt8]?
    }

    let key = P256.Signing.PrivateKey()
    let certificate: Certificate
    var encoded: [UInt8] { Self.encoded(certificate) }

    /// A root.
    init(_ name: String = "Root") throws {
        certificate = try Self.make(
            subject: Self.name(name), issuer: Self.name(name), key: Certificate.PublicKey(key.publicKey),
            signedBy: key, Form(isAuthority: true))
    }

    /// An authority below another.
    init(_ name: String, below parent: TestAuthority, _ form: Form = Form(isAuthority: true)) throws {
        certificate = try Self.make(
            subject: Self.name(name), issuer: parent.certificate.subject, key: Certificate.PublicKey(key.publicKey),
            signedBy: parent.key, form)
    }

    /// A certificate for an authenticator's key, in DER.
    func certify(_ key: P256.Signing.PublicKey, _ form: Form = Form()) throws -> [UInt8] {
        let named = try DistinguishedName {
            if let country = form.country { CountryName(country) }
            if let organization = form.organization { OrganizationName(organization) }
            OrganizationalUnitName(form.unit)
            CommonName("Test Authenticator")
        }
        let subject = form.isNameless ? DistinguishedName() : named
        return Self.encoded(
            try Self.make(
                subject: subject, issuer: certificate.subject, key: Certificate.PublicKey(key), signedBy: self.key,
                form))
    }

    private static func name(_ text: String) throws -> DistinguishedName {
        try DistinguishedName { CommonName(text) }
    }

    private static func make(
        subject: DistinguishedName, issuer: DistinguishedName, key: Certificate.PublicKey,
        signedBy signer: P256.Signing.PrivateKey, _ form: Form
    ) throws -> Certificate {
        let extensions = try Certificate.Extensions {
            if form.isAuthority == true {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: nil))
                Critical(KeyUsage(digitalSignature: !form.maySign, keyCertSign: form.maySign))
            } else if form.isAuthority == false {
                Critical(BasicConstraints.notCertificateAuthority)
            }
            if let description = form.keyDescription {
                Certificate.Extension(
                    oid: [1, 3, 6, 1, 4, 1, 11_129, 2, 1, 17], critical: false, value: description[...])
            }
            if let name = form.alternativeName {
                Certificate.Extension(oid: [2, 5, 29, 17], critical: true, value: name[...])
            }
            if let usages = form.usages {
                Certificate.Extension(oid: [2, 5, 29, 37], critical: false, value: usages[...])
            }
            if let model = form.model {
                Certificate.Extension(
                    oid: [1, 3, 6, 1, 4, 1, 45_724, 1, 1, 4], critical: form.isModelCritical, value: [4, 16] + model)
            }
        }
        return try Certificate(
            version: .v3, serialNumber: .init(bytes: form.serial), publicKey: key,
            notValidBefore: Date(timeIntervalSince1970: Double(form.from)),
            notValidAfter: Date(timeIntervalSince1970: Double(form.until)), issuer: issuer, subject: subject,
            signatureAlgorithm: .ecdsaWithSHA256, extensions: extensions, issuerPrivateKey: .init(signer))
    }

    private static func encoded(_ certificate: Certificate) -> [UInt8] {
        var serializer = DER.Serializer()
        try? serializer.serialize(certificate)
        return serializer.serializedBytes
    }
}
