import Foundation
import Keyturn
import KeyturnBase
import KeyturnUI
import SwiftUI
import Testing

@Suite("Views of a session")
@MainActor struct ViewTests {
    /// What the tests look at.
    struct Page: View {
        @Environment(KeyturnModel.self) var model
        let error: Binding<AuthError?>

        var body: some View {
            SignedInView {
                VStack {
                    Text("app")
                    Note()
                }
            } otherwise: {
                SignInButton("sign in", options: SignInOptions(redirectURI: "myapp://callback"), error: error)
                if case .locked = model.state { Text("locked") }
                if case .unavailable = model.state { Text("unavailable") }
            }
        }
    }

    /// Something that a user has typed.
    struct Note: View {
        @State private var text = ""
        var body: some View { TextField("note", text: $text) }
    }

    /// What a test has set.
    final class Box<Value> {
        var value: Value

        init(_ value: Value) {
            self.value = value
        }

        var binding: Binding<Value> { Binding(get: { self.value }, set: { self.value = $0 }) }
    }

    let error = Box<AuthError?>(nil)

    func host(_ device: Device, onOtherURL: @escaping @MainActor (URL) -> Void = { _ in }) -> StandInHost {
        StandInHost(Page(error: error.binding).keyturn(device.auth, onOtherURL: onOtherURL))
    }

    @Test func `draw nothing until the session is known, and then the one for it`() async throws {
        let device = Device()
        let host = host(device)
        host.draw()
        #expect(host.texts.isEmpty && host.buttons.isEmpty)
        #expect(await host.draws { host.texts == ["sign in"] })
        try await device.signIn("ann")
        #expect(await host.draws { host.texts == ["app"] })
        try await device.auth.logout(force: true)
        #expect(await host.draws { host.texts == ["sign in"] })
    }

    @Test func `show another user nothing of the one before`() async throws {
        let device = Device()
        let host = host(device)
        try await device.signIn("ann")
        #expect(await host.draws { host.texts == ["app"] })
        let note = try #require(host.fields["note"])
        note.text.wrappedValue = "Ann's"
        host.draw()
        #expect(host.fields["note"]?.text.wrappedValue == "Ann's")
        try await device.signIn("bea")
        #expect(await host.draws { host.fields["note"]?.text.wrappedValue == "" })
    }

    @Test func `begin anew with another container`() async throws {
        let (first, second) = (Device(), Device())
        try await first.signIn("ann")
        let shown = Box(first)
        struct Root: View {
            let shown: Box<Device>
            let error: Binding<AuthError?>
            var body: some View { Page(error: error).keyturn(shown.value.auth) }
        }
        let host = StandInHost(Root(shown: shown, error: error.binding))
        #expect(await host.draws { host.texts == ["app"] })
        shown.value = second
        host.draw()
        #expect(host.texts.isEmpty, "nothing of the other one is shown")
        #expect(await host.draws { host.texts == ["sign in"] })
    }

    @Test func `look again when their scene becomes active`() async throws {
        let store = MemoryStore()
        let (device, other) = (Device(store: store), Device(store: store))
        let host = host(device)
        #expect(await host.draws { host.texts == ["sign in"] })
        try await other.signIn("ann")
        #expect(await !host.draws(times: 20) { host.texts == ["app"] }, "nothing tells of another process")
        // A store is looked at once a second.
        try await Task.sleep(for: .seconds(1.1))
        host.environment.scenePhase = .active
        #expect(await host.draws { host.texts == ["app"] })
    }

    @Test func `leave addresses of the app to the app`() async throws {
        let device = Device()
        let others = Box<[String]>([])
        let host = host(device) { others.value.append($0.absoluteString) }
        #expect(await host.draws { host.texts == ["sign in"] })
        host.open(try #require(URL(string: "myapp://page/7")))
        #expect(await host.draws { others.value == ["myapp://page/7"] })
    }

    @Test func `sign in over the window of their scene, and say what went wrong`() async throws {
        let device = Device()
        let host = host(device)
        let windows = Windows()
        host.move(to: windows)
        #expect(await host.draws { host.buttons["sign in"] != nil })
        host.buttons["sign in"]?.press()
        #expect(await host.draws { error.value != nil })
        #expect(error.value?.code == .misconfigured)
        #expect(device.browser.notes.withLock { $0.windows } == [ObjectIdentifier(windows.touch)])
        host.move(to: nil)
        host.draw()
        host.buttons["sign in"]?.press()
        #expect(error.value == nil, "a new attempt forgets the failure of the last")
        #expect(await host.draws { error.value != nil })
        #expect(device.browser.notes.withLock { $0.windows } == [ObjectIdentifier(windows.touch), nil])
    }

    @Test func `sign in once at a time, until the button is gone`() async throws {
        let device = Device()
        device.browser.notes.withLock { $0.waits = true }
        let host = host(device)
        #expect(await host.draws { host.buttons["sign in"] != nil })
        host.buttons["sign in"]?.press()
        #expect(await host.draws { host.buttons["sign in"]?.isEnabled == false })
        host.buttons["sign in"]?.press()
        try await device.signIn("ann")
        #expect(await host.draws { host.texts == ["app"] })
        #expect(await host.draws { device.browser.notes.withLock { $0.cancels } == 1 })
        #expect(device.browser.notes.withLock { $0.windows.count } == 1)
        #expect(error.value == nil)
    }

    @Test(arguments: [true, false])
    func `offer passkeys as long as the form is there, where there are such offers`(_ offers: Bool) async throws {
        let device = Device(
            .keyturn(issuer: "https://id.example.com", clientID: "app", publishableKey: "pubkey_1"),
            passkeys: OfferingPasskeys(autofill: offers))
        device.network.notes.withLock { $0.waits = true }
        let host = StandInHost(NameForm().keyturn(device.auth))
        let asks = await host.draws(times: offers ? 2_000 : 40) { device.network.notes.withLock { !$0.urls.isEmpty } }
        #expect(asks == offers)
        #expect(host.isForUsernames("name"))
        guard offers else { return }
        try await device.signIn("ann")
        #expect(await host.draws { device.network.notes.withLock { $0.cancels } == 1 })
    }

    @Test func `the sample app shows its sign-in page`() async throws {
        let device = Device()
        let host = StandInHost(SampleRoot(auth: device.auth))
        #expect(await host.draws { host.texts.contains("Sign in") })
        #expect(host.isForUsernames("Email"))
        #expect(Set(host.buttons.keys) == ["Sign in", "Sign in with a passkey", "Send a code"])
        try await device.auth.sessionManager.storeSession(
            ManagedSession(accessToken: "token", userClaims: ["sub": "ann", "name": "Ann"]))
        #expect(await host.draws { host.texts.contains("Ann") })
        host.buttons["Sign out"]?.press()
        #expect(await host.draws { host.texts.contains("Sign in") })
    }
}

extension StandInHost {
    /// Draws some times at most.
    func draws(times: Int, _ what: () -> Bool) async -> Bool {
        for _ in 0..<times {
            draw()
            if what() { return true }
            try? await Task.sleep(for: .milliseconds(5))
        }
        return false
    }
}
