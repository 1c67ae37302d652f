import Foundation
import Keyturn
import KeyturnBase
import KeyturnUI
import Testing

@Suite("View controllers, windows and scene delegates")
@MainActor struct WindowTests {
    let options = SignInOptions(redirectURI: "myapp://callback")

    @Test func `a view controller's window is where the sheet appears`() async throws {
        let device = Device()
        let window = Windows().touch
        await #expect(throws: AuthError(.misconfigured, "")) {
            try await device.auth.authorize(options, from: controller(in: window))
        }
        #expect(device.browser.notes.withLock { $0.windows } == [ObjectIdentifier(window)])
    }

    @Test func `without a window nothing is begun`() async throws {
        let device = Device()
        for isLoaded in [true, false] {
            let error = await #expect(throws: AuthError.self) {
                try await device.auth.authorize(options, from: controller(in: nil, isLoaded: isLoaded))
            }
            #expect(error?.detail.contains("in no window") == true)
        }
        #expect(device.browser.notes.withLock { $0.windows.isEmpty })
    }

    @Test func `anything else that shows a sheet does so there, too`() async throws {
        let device = Device()
        let window = Windows().touch
        let seen = try await device.auth.present(from: controller(in: window)) { () async throws(AuthError) in
            PresentationWindow.current === window
        }
        #expect(seen)
        #expect(PresentationWindow.current == nil)
    }

    @Test func `a window of the Mac is where the sheet appears`() async throws {
        let device = Device()
        let window = Windows().mac
        await #expect(throws: AuthError(.misconfigured, "")) {
            try await device.auth.authorize(options, from: window)
        }
        #expect(device.browser.notes.withLock { $0.windows } == [ObjectIdentifier(window)])
    }

    @Test func `a scene delegate learns which addresses are the app's own`() async throws {
        let device = Device()
        let url = try #require(URL(string: "https://app.example.com/page"))
        #expect(try await !device.auth.handle(context(url)))
        #expect(try await !device.auth.handle(activity(nil)))
        #expect(try await !device.auth.handle(activity(url)))
        #expect(device.network.notes.withLock { $0.urls.isEmpty })
    }

    @Test func `a magic link signs in, as an address and as an activity that is a link`() async throws {
        let device = Device(.descope(projectID: "P1", baseURL: "https://api.example.com"))
        let url = try #require(URL(string: "https://app.example.com/magic?t=abc"))
        device.network.notes.withLock { $0.waits = true }
        let magic = "https://app.example.com/magic"
        #expect(try await !device.auth.handle(activity(url, isLink: false), magicLinkURL: magic))
        let tasks = [
            Task { try await device.auth.handle(activity(url), magicLinkURL: magic) },
            Task { try await device.auth.handle(context(url), magicLinkURL: magic) },
        ]
        for _ in 0..<2_000 where device.network.notes.withLock({ $0.urls.count }) < 2 {
            try await Task.sleep(for: .milliseconds(5))
        }
        #expect(device.network.notes.withLock { $0.urls.allSatisfy { $0.contains("magiclink/verify") } })
        #expect(device.network.notes.withLock { $0.urls.count } == 2)
        for task in tasks { task.cancel() }
    }
}
