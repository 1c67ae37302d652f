internal import KeyturnBase
internal import Model

/// Addresses of clients that the operator has not checked.
extension RedirectURI {
    /// Why such a client cannot have an address, in a plain sentence; `nil` if it can.
    static func flaw(inUnseen uri: String, native: Bool) -> String? {
        if let flaw = flaw(in: uri) { return flaw.description }
        guard let parts = URIParts(uri) else { return Flaw.malformed.description }
        switch parts.scheme {
        case "https": return nil
        case "http":
            return parts.isLoopback ? nil : "http is readable on the way: https, or a loopback address"
        default:
            guard native else { return "a scheme of one's own is for application_type native" }
            // RFC 8252 §7.1: the client's own domain name, reversed.
            return isDomainTurnedRound(parts.scheme)
                ? nil : "a scheme of one's own is a domain turned round: com.example.app"
        }
    }

    /// Schemes that browsers and systems already use.
    private static let takenLabels: Set<Substring> = [
        "javascript", "data", "vbscript", "file", "about", "blob", "intent",
    ]

    private static func isDomainTurnedRound(_ scheme: String) -> Bool {
        let labels = scheme.split(separator: ".", omittingEmptySubsequences: false)
        guard labels.count >= 2, let first = labels.first, !takenLabels.contains(first), !first.hasPrefix("ms-") else {
            return false
        }
        return labels.allSatisfy { label in
            !label.isEmpty && !label.hasPrefix("-") && !label.hasSuffix("-")
                && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        }
    }
}
