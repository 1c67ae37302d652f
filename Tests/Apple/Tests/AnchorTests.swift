import AuthenticationServices
import KeyturnBase
import Testing

@testable import Keyturn

extension AppleTests {
    @Suite("The window to show a sheet over")
    @MainActor struct AnchorTests {
        @Test func `is the key window of the scene in front`() {
            let (front, back) = (ASPresentationAnchor(), ASPresentationAnchor())
            show([.background(key: ASPresentationAnchor()), .inactive(key: back), .active(key: front)])
            #expect(AppleAnchor.find() === front)
            show([.background(key: ASPresentationAnchor()), .inactive(key: back)])
            #expect(AppleAnchor.find() === back, "a sheet of the system is in front")
        }

        @Test func `is a window that is shown, where none takes keys`() {
            let (hidden, shown) = (ASPresentationAnchor(), ASPresentationAnchor())
            hidden.isHidden = true
            show([.active(key: nil, hidden, shown)])
            #expect(AppleAnchor.find() === shown)
            show([.active(key: nil, hidden)])
            #expect(AppleAnchor.find() == nil)
        }

        @Test func `is the one that was named for the task, whatever is in front`() async throws {
            let (front, named) = (ASPresentationAnchor(), ASPresentationAnchor())
            show([.active(key: front)])
            show(key: front, main: nil, front)
            try await PresentationWindow.over(named) { () async throws(AuthError) in
                #expect(AppleAnchor.find() === named)
                #expect(MacAnchor.find() === named)
            }
            #expect(AppleAnchor.find() === front)
            #expect(MacAnchor.find() === front)
        }

        @Test func `is none in the background, or without an application`() {
            show(nil)
            #expect(AppleAnchor.find() == nil)
            show([.background(key: ASPresentationAnchor())])
            #expect(AppleAnchor.find() == nil)
        }

        @Test func `on the Mac takes keys, is the main one, or can be seen`() {
            let (key, main) = (ASPresentationAnchor(), ASPresentationAnchor())
            let (hidden, seen) = (ASPresentationAnchor(), ASPresentationAnchor())
            hidden.isVisible = false
            show(key: key, main: main, hidden, seen)
            #expect(MacAnchor.find() === key)
            show(key: nil, main: main, hidden, seen)
            #expect(MacAnchor.find() === main)
            show(key: nil, main: nil, hidden, seen)
            #expect(MacAnchor.find() === seen)
            show(key: nil, main: nil, hidden)
            #expect(MacAnchor.find() == nil)
        }
    }
}
