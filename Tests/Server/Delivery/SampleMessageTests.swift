import KeyturnBase
import KeyturnWire
import Model
import Testing
import Texts

@testable import Delivery

@Suite("Messages with invented values")
struct SampleMessageTests {
    @Test func `every kind has words in every language and channel, and a mail has a page`() throws {
        let samples = SampleMessages(
            renderer: try MessageRenderer(projectName: "Example", issuer: "https://id.example.com"),
            issuer: "https://id.example.com", ambient: .live)
        for kind in MessageKind.allCases {
            for table in TextCatalog.builtIn.tables {
                for channel in DeliveryMethod.allCases + [.push] {
                    let shown = samples.preview(kind, by: channel, in: table.code)
                    #expect(!shown.text.isEmpty && shown.language == table.code, "\(kind) \(channel) \(table.code)")
                    #expect((shown.html == nil) == (channel != .email) && shown.subject.isEmpty == (channel != .email))
                }
            }
        }
        #expect(samples.preview(.code, by: .email, in: "en").text.contains("123456"))
        #expect(samples.preview(.magicLink, by: .email, in: "en").html?.contains("https://id.example.com/") == true)
    }
}
