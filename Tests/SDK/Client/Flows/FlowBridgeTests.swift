import KeyturnBase
import Testing

@testable import Keyturn

/// What a command is, without what it holds.
extension FlowBridge.Command {
    var word: String {
        switch self {
        case .initialize: "initialize"
        case .becameReady: "ready"
        case .request(.web(let kind, _)): kind
        case .request(.native): "native"
        case .refuseRequest: "refuse"
        case .take: "take"
        case .fail: "fail"
        case .cancel: "cancel"
        case .log(_, let text): text
        }
    }
}

@Suite("Flows: what a page says")
struct FlowBridgeTests {
    static let origin = "https://id.example.com"
    private static let page = FlowFrame(scheme: "https", host: "id.example.com", port: 0, isMain: true)

    private func bridge(_ events: FlowMachine.Event...) -> FlowBridge {
        var bridge = FlowBridge(origin: Self.origin)
        for event in events { _ = bridge.apply(event) }
        return bridge
    }

    private func said(
        _ bridge: inout FlowBridge, _ name: String, _ body: JSONValue = .null, frame: FlowFrame = page,
        provider: SocialProvider? = nil
    ) -> [String] {
        bridge.receive(FlowMessage(name: name, body: body, frame: frame), provider: provider).map(\.word)
    }

    @Test func `each page is initialised, and the first one makes the flow ready`() {
        var bridge = bridge(.started)
        #expect(said(&bridge, "found") == ["initialize"])
        #expect(said(&bridge, "ready", "listener") == ["ready"])
        #expect(bridge.state == .ready)
        #expect(said(&bridge, "found") == ["initialize"])
        #expect(said(&bridge, "ready", "listener") == [])
    }

    @Test(arguments: [
        FlowFrame(scheme: "https", host: "id.example.com", port: 0, isMain: false),
        FlowFrame(scheme: "https", host: "ad.example.com", port: 0, isMain: true),
        FlowFrame(scheme: "https", host: "id.example.com", port: 8443, isMain: true),
        FlowFrame(scheme: "http", host: "id.example.com", port: 0, isMain: true),
        FlowFrame(scheme: "https", host: "id.example.com.evil.example", port: 0, isMain: true),
    ])
    func `FW-1: a message of a frame or of another origin changes nothing`(frame: FlowFrame) {
        var bridge = bridge(.started, .becameReady)
        for name in FlowMessage.names {
            let words = said(&bridge, name, "{}", frame: frame)
            #expect(words.count == 1 && words[0].hasPrefix("flow: dropped a message from"), "\(name)")
        }
        #expect(bridge.state == .ready && !bridge.isClosed)
    }

    @Test func `FW-2: nothing is heard before the start, after the end, of unknown kinds, and no long text`() {
        var early = bridge()
        #expect(said(&early, "success", "{}") == ["flow: dropped a message outside of the flow"])
        var late = bridge(.started, .becameReady, .cancelled)
        #expect(said(&late, "success", "{}") == ["flow: dropped a message outside of the flow"])
        var running = bridge(.started)
        #expect(said(&running, "steal", "{}") == ["flow: dropped a message of an unknown kind"])
        let long = JSONValue.string(String(repeating: "a", count: Limits.flowMessageMaxBytes - 1))
        #expect(said(&running, "abort", long) == ["flow: dropped a message too long"])
        #expect(!running.isClosed)
        #expect(said(&running, "success", "{}") == ["take"])
        #expect(said(&running, "success", "{}") == ["flow: dropped a message after the end"])
        #expect(said(&running, "abort") == ["flow: dropped a message after the end"])
    }

    @Test func `a page asks for the browser and for the sheet that the app named`() {
        var bridge = bridge(.started)
        for kind in ["oauthWeb", "sso", "externalAuth"] {
            let body: JSONValue = ["type": .string(kind), "payload": ["startUrl": "https://id.example.com/federation"]]
            #expect(said(&bridge, "bridge", body) == [kind])
        }
        let start: JSONValue = ["clientId": "c", "stateId": "s", "nonce": "n", "implicit": true]
        let native: JSONValue = ["type": "oauthNative", "payload": ["start": start]]
        #expect(said(&bridge, "bridge", native, provider: .apple) == ["native"])
        #expect(said(&bridge, "bridge", native) == ["refuse"], "the app named no provider")
        for url in ["http://id.example.com/", "javascript:alert(1)", "file:///etc/passwd", "https://a b/", ""] {
            let body: JSONValue = ["type": "oauthWeb", "payload": ["startUrl": .string(url)]]
            #expect(said(&bridge, "bridge", body) == ["refuse"], "\(url)")
        }
        #expect(said(&bridge, "bridge", ["type": "open", "payload": [:]]) == ["refuse"])
    }

    @Test func `ends have their reasons`() throws {
        var cancelled = bridge(.started)
        #expect(said(&cancelled, "abort", "") == ["cancel"])
        var vendors = bridge(.started)
        #expect(said(&vendors, "failure", ["errorCode": "E102122"]) == ["cancel"])
        var failed = bridge(.started)
        let commands = failed.receive(
            FlowMessage(
                name: "failure", body: ["errorCode": "E102004", "errorDescription": "No\u{7}"], frame: Self.page),
            provider: nil)
        guard case .fail(let error) = try #require(commands.first) else {
            Issue.record("it failed")
            return
        }
        #expect(error.code == .flowFailed && error.server?.description == "No" && error.server?.code == "E102004")
        var empty = bridge(.started)
        #expect(said(&empty, "success", "") == ["fail"])
    }

    @Test(arguments: [
        ("https://id.example.com/link?t=abc", true),
        ("https://app.example.com/in?t=abc", true),
        ("https://id.example.com/link?t=abc&descope-login-flow=sign-in%7C%23%7Cx_0", true),
        ("https://id.example.com/link?t=abc&descope-login-flow=other%7C%23%7Cx_0", false),
        ("https://id.example.com/link", false),
        ("https://id.example.com/link?t=", false),
        ("https://id.example.com/link?t=a&t=b", false),
        ("http://id.example.com/link?t=abc", false),
        ("https://evil.example.com/link?t=abc", false),
        ("https://id.example.com.evil.example/link?t=abc", false),
        ("https://app.example.com/other?t=abc", false),
        ("https://id.example.com@evil.example/link?t=abc", false),
    ])
    func `FW-8: only links of the flow's server, of the app's address and of this flow go on`(
        url: String, isExpected: Bool
    ) {
        let bridge = bridge(.started, .becameReady)
        #expect(
            bridge.expects(url, flow: "sign-in", magicLinkURL: "https://app.example.com/in") == isExpected)
        let early = self.bridge(.started)
        #expect(!early.expects(url, flow: "sign-in", magicLinkURL: nil))
    }

    @Test func `links stay at the flow's server, and forms may lead to providers`() {
        let bridge = bridge(.started)
        #expect(bridge.allows("https://id.example.com/signup", isLink: true))
        #expect(!bridge.allows("https://example.com/terms", isLink: true))
        #expect(!bridge.allows("mailto:help@example.com", isLink: true))
        #expect(bridge.allows("https://accounts.example.com/authorize", isLink: false))
        #expect(!bridge.allows("myapp://steal", isLink: false))
    }

    @Test func `FW-10: a value cannot end the script that it stands in`() {
        let text = "\"); steal(\"</script>\u{2028}\\"
        let literal = FlowScript.literal(.string(text))
        #expect(!literal.contains("<") && !literal.contains("\u{2028}"))
        #expect((try? JSONValue(parsing: Array(literal.utf8)))?.stringValue == text)
        var options = EmbeddedFlowOptions()
        options.clientInputs = ["key": .string(text)]
        options.magicLinkURL = text
        let script = FlowScript.initialize(options, at: "https://id.example.com")
        #expect(!script.contains("steal(\"<"))
        #expect(
            script.hasPrefix(
                "location.origin === \"https://id.example.com\" && window.descopeBridge?.internal.initialize({"))
    }
}
