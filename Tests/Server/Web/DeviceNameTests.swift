import Testing

@testable import Web

@Suite("What a browser is called")
struct DeviceNameTests {
    @Test(arguments: [
        ("Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "Firefox on Linux"),
        (
            "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36",
            "Chrome on Windows"
        ),
        (
            "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36 Edg/140.0",
            "Edge on Windows"
        ),
        (
            "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Version/18.0 Safari/604.1",
            "Safari on iPhone"
        ),
        ("Mozilla/5.0 (Linux; Android 15) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36", "Chrome on Android"),
    ])
    func `browsers are called as their owners call them`(_ header: String, _ name: String) {
        #expect(DeviceName.of(header) == name)
    }

    @Test func `nothing of the header itself is shown`() {
        #expect(DeviceName.of("curl/8.0 <script>") == nil)
        #expect(DeviceName.of(nil) == nil)
        #expect(DeviceName.of(String(repeating: "Firefox/", count: 100)) == nil)
    }
}
