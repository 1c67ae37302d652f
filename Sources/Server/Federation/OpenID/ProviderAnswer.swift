internal import KeyturnBase
internal import Model

/// The fields of a provider's answer to the authorization request (RFC 6749 §4.1.2), each at most once.
struct ProviderAnswer: Sendable {
    private var fields: [String: String] = [:]

    /// - Throws: ``ConnectionFault`` if one comes twice.
    init(_ answer: [(name: String, value: String)]) throws(ConnectionFault) {
        for (name, value) in answer {
            guard fields.updateValue(value, forKey: name) == nil else { throw ConnectionFault(.refused, "repeated") }
        }
    }

    /// Words by which providers say that the user declined.
    private static let declined: Set<String> = [
        "access_denied", "user_cancelled_authorize", "user_cancelled_login", "consent_required",
    ]

    /// The code.
    ///
    /// - Throws: ``ConnectionFault`` for an error of the provider.
    func code() throws(ConnectionFault) -> String {
        if let error = fields["error"] ?? fields["denied"].map({ _ in "access_denied" }) {
            if Self.declined.contains(error) || fields["error_reason"] == "user_denied" {
                throw ConnectionFault(.cancelled, "access_denied")
            }
            let isTemporary = ["temporarily_unavailable", "server_error"].contains(error)
            let isOurs = ["invalid_request", "unauthorized_client", "invalid_scope", "unsupported_response_type"]
            throw ConnectionFault(
                isTemporary ? .unavailable : isOurs.contains(error) ? .misconfigured : .denied,
                error.utf8.count <= 64 && error.allSatisfy { $0.isASCII && ($0.isLetter || $0 == "_") }
                    ? error : "error")
        }
        guard let code = fields["code"], (1...4_096).contains(code.utf8.count) else {
            throw ConnectionFault(.refused, "no_code")
        }
        return code
    }

    /// `iss` (RFC 9207 §2.4): must be right where it is sent, and be sent where the metadata promises it.
    func checkIssuer(_ metadata: ProviderMetadata) throws(ConnectionFault) {
        guard let issuer = metadata.issuer else { return }
        guard fields["iss"] == issuer || fields["iss"] == nil && !metadata.namesIssuer else {
            throw ConnectionFault(.refused, "iss_parameter")
        }
    }

    /// The name that Apple's form has at the first consent, unsigned: for display alone.
    var appleName: [String: String] {
        guard let text = fields["user"], text.utf8.count <= 4_096,
            let name = try? JSONValue(parsing: Array(text.utf8))["name"]
        else { return [:] }
        var names: [String: String] = [:]
        names["given_name"] = name["firstName"]?.stringValue
        names["family_name"] = name["lastName"]?.stringValue
        return names
    }
}
