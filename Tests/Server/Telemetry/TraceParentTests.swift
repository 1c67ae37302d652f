import Testing

@testable import Telemetry

@Suite("W3C Trace Context: traceparent")
struct TraceParentTests {
    private static let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    @Test func `a header is read and written back`() throws {
        let identity = try #require(TraceParent.read(Self.good))
        #expect(identity.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(identity.spanID == "00f067aa0ba902b7")
        #expect(identity.isSampled)
        #expect(TraceParent.write(identity) == Self.good)
    }

    @Test(arguments: [
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00", false),
        ("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-03", true),
        ("01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more", true),
    ])
    func `flags and later versions are understood as far as they are known`(_ text: String, _ isSampled: Bool) {
        #expect(TraceParent.read(text)?.isSampled == isSampled)
    }

    @Test(arguments: [
        "", "00", "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-011",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0x",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7 01",
    ])
    func `a malformed header is as good as none`(_ text: String) {
        #expect(TraceParent.read(text) == nil)
    }
}
