internal import Foundation

/// The HTTP-Redirect binding (Bindings §3.4): a message in an address.
enum RedirectBinding {
    private static let algorithm = "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256"
    private static let plain = Set(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~".unicodeScalars.map(\.value))

    /// - Parameters:
    ///   - field: `SAMLRequest` or `SAMLResponse`.
    ///   - key: signs the query exactly as it is sent; `nil`: it is not signed.
    static func address(
        _ endpoint: String, _ field: String, _ message: [UInt8], relayState: String?, key: ServiceKey?
    ) throws(SAMLFault) -> String {
        let text = Data(try XMLLibrary.deflate(message)).base64EncodedString()
        var query = "\(field)=\(encoded(text))"
        if let relayState { query += "&RelayState=\(encoded(relayState))" }
        if let key {
            query += "&SigAlg=\(encoded(algorithm))"
            query += "&Signature=\(encoded(Data(try key.signature(of: query)).base64EncodedString()))"
        }
        return endpoint + (endpoint.contains("?") ? "&" : "?") + query
    }

    private static func encoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { result, byte in
            if plain.contains(UInt32(byte)) {
                result.unicodeScalars.append(Unicode.Scalar(byte))
            } else {
                result += "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
            }
        }
    }
}
