internal import Foundation

/// A signed message in the query of an address (Bindings §3.4.4): read octet for octet, because the signature covers the
/// octets as they came. Parameters stand in the order of the standard, each once, and no other beside them.
struct RedirectQuery {
    /// `SAMLRequest` or `SAMLResponse`.
    let name: String
    let message: [UInt8]
    let relayState: String?
    let algorithm: String
    let signature: [UInt8]
    /// What the signature covers.
    let signed: [UInt8]

    private static let bytesMax = 65_536
    /// Longer than the standard allows, because providers do not keep to it; it is only returned.
    static let relayStateBytesMax = 1_024

    /// - Parameter query: what follows the question mark, as the browser sent it.
    /// - Throws: ``SAMLFault``.
    init(_ query: String) throws(SAMLFault) {
        guard query.utf8.count <= Self.bytesMax else { throw SAMLFault("too_large") }
        let pairs = query.split(separator: "&", omittingEmptySubsequences: false).map { pair in
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            return (name: String(parts[0]), value: parts.count == 2 ? String(parts[1]) : "")
        }
        let names = pairs.map(\.name)
        guard let first = names.first, ["SAMLRequest", "SAMLResponse"].contains(first),
            names == [first, "SigAlg", "Signature"] || names == [first, "RelayState", "SigAlg", "Signature"]
        else { throw SAMLFault(names.contains("Signature") ? "query" : "not_signed") }
        name = first
        let values = try pairs.map { pair throws(SAMLFault) in try Self.decoded(pair.value) }
        relayState = pairs.count == 4 ? values[1] : nil
        guard relayState.map({ $0.utf8.count <= Self.relayStateBytesMax }) ?? true else {
            throw SAMLFault("relay_state")
        }
        algorithm = values[values.count - 2]
        signature = try Self.base64(values[values.count - 1])
        message = try Self.base64(values[0])
        let end = query.utf8.count - (pairs[pairs.count - 1].value.utf8.count + "&Signature=".utf8.count)
        signed = Array(query.utf8.prefix(end))
    }

    private static func base64(_ text: String) throws(SAMLFault) -> [UInt8] {
        let compact = String(decoding: text.utf8.filter { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        guard let data = Data(base64Encoded: compact), !data.isEmpty else { throw SAMLFault("base64") }
        return Array(data)
    }

    private static func decoded(_ text: String) throws(SAMLFault) -> String {
        guard let decoded = text.replacing("+", with: " ").removingPercentEncoding else { throw SAMLFault("query") }
        return decoded
    }
}
