import KeyturnBase
import KeyturnWire
import Model
import Testing

@testable import Delivery

@Suite("The gateway for text messages")
struct GatewayTests {
    @Test func `the signature is HMAC-SHA-256 over timestamp, dot and body`() {
        // printf '1800000000.{"a":1}' | openssl dgst -sha256 -hmac hush
        let value = GatewaySignature.value(
            Array(#"{"a":1}"#.utf8), at: UnixTime(rawValue: 1_800_000_000), secret: Secret("hush"))
        #expect(value == "v1=a1fec28d84de44cf4fc21f97f55b7512b868678ba179438c9f571672581ea420")
    }

    @Test func `the body`() throws {
        var message = Post.message()
        message.channel = .sms
        message.to = "+15551234567"
        let json = try JSONValue(parsing: GatewayTransport.body(try Post.rendered(message)))
        #expect(json["to"] == "+15551234567")
        #expect(json["channel"] == "sms")
        #expect(json["code"] == "482913")
        #expect(json["created_at"]?.integerValue == 1_800_000_000)
        #expect(json["id"]?.stringValue?.count == 32)
    }

    @Test(arguments: [
        (200, DeliveryOutcome.sent), (204, .sent), (301, .temporary(reason: "gateway 301")),
        (401, .temporary(reason: "gateway 401")), (429, .temporary(reason: "gateway 429")),
        (500, .temporary(reason: "gateway 500")), (400, .permanent(reason: "gateway 400")),
        (422, .permanent(reason: "gateway 422")),
    ])
    func `only what concerns the message itself is final`(status: Int, outcome: DeliveryOutcome) {
        #expect(GatewayTransport.outcome(status) == outcome)
    }

    @Test(arguments: ["5551234567", "+1", "+1555123456789012345", "+1555\r\n1234", "sip:a@b", ""])
    func `113: what is no telephone number goes nowhere`(to: String) async throws {
        let transport = GatewayTransport(url: "http://127.0.0.1:9/", secret: nil, ambient: .live)
        var message = Post.message()
        message.to = to
        #expect(await transport.send(try Post.rendered(message)) == .permanent(reason: "not a telephone number"))
        await transport.shutdown()
    }
}
