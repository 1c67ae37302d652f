import Keyturn
import KeyturnBase
import Synchronization
import Testing

@testable import KeyturnTerminal

@Suite("What a terminal shows while another device is busy")
struct DeviceScreenTests {
    /// What was written, and a clock.
    private final class Paper: Sendable {
        let text = Mutex("")
        let status = Mutex("")
        let seconds = Atomic<Int64>(0)

        func screen(columns: Int? = 100, isLive: Bool = true) -> DeviceScreen {
            DeviceScreen(
                TerminalOutput(
                    columns: columns, hasColours: false, isLive: isLive,
                    write: { new in self.text.withLock { $0 += new } },
                    writeStatus: { new in self.status.withLock { $0 += new } }),
                uptime: { self.seconds.load(ordering: .sequentiallyConsistent) })
        }
    }

    private static let code = DeviceSignInProgress.code(
        DeviceSignInCode(
            userCode: "WDJB-MJHT", verificationURI: "https://id.example.com/device",
            verificationURIComplete: "https://id.example.com/device?user_code=WDJB-MJHT", expiresInSeconds: 900))

    @Test func `the address and the code stay, and the time goes by over itself`() {
        let paper = Paper()
        let screen = paper.screen()
        screen.show(Self.code)
        let text = paper.text.withLock { $0 }
        #expect(text.contains("https://id.example.com/device\n") && text.contains("WDJB-MJHT\n"))
        #expect(text.contains("\u{2588}"))
        screen.show(.unreachable(AuthError(.unavailable, "down")))
        paper.seconds.store(61, ordering: .sequentiallyConsistent)
        screen.show(.waiting(secondsLeft: 839))
        screen.finish()
        screen.tick()
        let lines = paper.status.withLock { $0 }.split(separator: "\r")
        #expect(lines.first == "Waiting for you there, 15:00 left. Ctrl-C gives up.")
        #expect(lines[1].hasSuffix("The server cannot be reached; trying again."))
        // What was longer before is wiped out.
        #expect(lines.last?.hasPrefix("Waiting for you there, 13:59 left. Ctrl-C gives up.  ") == true)
        #expect(lines.last?.hasSuffix("\n") == true && lines.last?.count ?? 0 > lines[1].count)
        #expect(paper.text.withLock { $0 } == text)
    }

    @Test func `a file gets no picture, and one line for each thing that happens`() {
        let paper = Paper()
        let screen = paper.screen(columns: nil, isLive: false)
        screen.show(Self.code)
        screen.tick()
        screen.show(.slowedDown(intervalSeconds: 10))
        screen.show(.slowedDown(intervalSeconds: 10))
        screen.show(.waiting(secondsLeft: 800))
        screen.finish()
        #expect(!paper.text.withLock { $0 }.contains("\u{2588}"))
        let status = paper.status.withLock { $0 }
        #expect(
            status == "Waiting for you there. Ctrl-C gives up.\nThe server wants to be asked every 10 seconds.\n")
    }

    @Test func `a picture that does not fit is left out`() {
        for (columns, isThere) in [(41, true), (20, false)] {
            let paper = Paper()
            paper.screen(columns: columns).show(Self.code)
            #expect(paper.text.withLock { $0.contains("\u{2588}") } == isThere, "\(columns) columns")
        }
    }
}
