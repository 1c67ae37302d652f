/// What a provider's administrator enters for a connection (Metadata §2.4.4).
struct ServiceMetadata {
    let entityID: String
    let consumer: String
    /// Named if there is a key: messages of single logout are signed.
    let logoutService: String
    let key: ServiceKey?
    let signsRequests: Bool

    var bytes: [UInt8] {
        var writer = XMLWriter()
        writer.element(
            "md:EntityDescriptor", [("xmlns:md", XMLElement.Space.metadata), ("entityID", entityID)]
        ) { entity in
            entity.element(
                "md:SPSSODescriptor",
                [
                    ("protocolSupportEnumeration", XMLElement.Space.protocol),
                    ("AuthnRequestsSigned", signsRequests ? "true" : "false"), ("WantAssertionsSigned", "true"),
                ], descriptor)
        }
        return writer.bytes
    }

    private func descriptor(_ writer: inout XMLWriter) {
        if let key {
            for use in ["signing", "encryption"] {
                writer.element("md:KeyDescriptor", [("use", use)]) { descriptor in
                    descriptor.element("ds:KeyInfo", [("xmlns:ds", XMLElement.Space.signature)]) { info in
                        info.element("ds:X509Data") { $0.element("ds:X509Certificate", text: key.certificate) }
                    }
                    if use == "encryption" { Self.encryptionMethods(&descriptor) }
                }
            }
        }
        for binding in key == nil ? [] : ["HTTP-Redirect", "HTTP-POST"] {
            writer.element(
                "md:SingleLogoutService",
                [("Binding", "urn:oasis:names:tc:SAML:2.0:bindings:\(binding)"), ("Location", logoutService)])
        }
        writer.element("md:NameIDFormat", text: "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent")
        writer.element("md:NameIDFormat", text: "urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress")
        writer.element(
            "md:AssertionConsumerService",
            [
                ("Binding", "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"), ("Location", consumer), ("index", "0"),
                ("isDefault", "true"),
            ])
    }

    /// The ciphers that are opened; a provider that follows them sends no other.
    private static func encryptionMethods(_ writer: inout XMLWriter) {
        for algorithm in [
            "http://www.w3.org/2009/xmlenc11#aes256-gcm", "http://www.w3.org/2009/xmlenc11#aes128-gcm",
            "http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p",
        ] {
            writer.element("md:EncryptionMethod", [("Algorithm", algorithm)])
        }
    }
}
