internal import CResolver
internal import Model
internal import SignIn

/// TXT records by the system's resolver, or by one name server. Blocks the calling thread: for commands.
struct SystemTextRecords: TextRecords {
    /// A name server by its IPv4 address.
    struct NameServer: Sendable {
        let address: String
        let port: Int32

        /// Reads `192.0.2.1` or `192.0.2.1:5353`.
        init?(_ text: String) {
            let parts = text.split(separator: ":", omittingEmptySubsequences: false)
            guard parts.count <= 2, let address = parts.first, !address.isEmpty,
                let port = UInt16(parts.count == 2 ? String(parts[1]) : "53"), port > 0
            else { return nil }
            self.address = String(address)
            self.port = Int32(port)
        }
    }

    let server: NameServer?
    private static let answerBytesMax = 65_536
    private static let recordsMax: Int32 = 100

    func texts(at name: String) async throws(TextRecordsUnavailable) -> [String] {
        var answer = [UInt8](repeating: 0, count: Self.answerBytesMax)
        let length = unsafe keyturn_txt_query(
            name, server?.address, server?.port ?? 0, &answer, Int32(Self.answerBytesMax))
        guard length != -1 else { return [] }
        guard length > 0 else { throw TextRecordsUnavailable() }
        var result: [String] = []
        for index in 0..<Self.recordsMax {
            var text = [UInt8](repeating: 0, count: Self.answerBytesMax)
            let size = unsafe keyturn_txt_record(
                answer, min(length, Int32(Self.answerBytesMax)), index, &text, Int32(Self.answerBytesMax))
            guard size != -1 else { break }
            guard size >= 0 else { continue }
            result.append(String(decoding: text.prefix(Int(size)), as: UTF8.self))
        }
        return result
    }
}
