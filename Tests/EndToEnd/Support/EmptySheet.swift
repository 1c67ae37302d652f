import Keyturn
import KeyturnBase
import KeyturnWire
import ServerTesting
import Synchronization
import Testing

/// A sheet with an empty browser each time, whose user never signs in. It fills in the form of the page, or closes.
final class EmptySheet: BrowserAgent {
    let server: TestServer
    let fields: [(String, String)]
    let pages = Mutex<[String]>([])

    init(_ server: TestServer, _ fields: [(String, String)] = []) {
        self.server = server
        self.fields = fields
    }

    func prepare(redirectURI: String) async throws(AuthError) -> any WebAuthenticationSession {
        Session(redirectURI: redirectURI, sheet: self)
    }

    struct Session: WebAuthenticationSession {
        let redirectURI: String
        let sheet: EmptySheet

        func open(_ url: String, state: String) async throws(AuthError) -> String {
            do {
                let browser = sheet.server.browser()
                let screen = try await browser.open(url)
                sheet.pages.withLock { $0.append(screen.page ?? screen.url) }
                guard !sheet.fields.isEmpty, screen.page != "login" else { throw TestFailure("closed") }
                var form = FormParameters()
                for field in screen.hiddenFields { form.append(field.name, field.value) }
                for (name, value) in sheet.fields { form.append(name, value) }
                let done = try await browser.post(screen.formAction ?? screen.url, form)
                return try #require(done.header("location"), "\(done.page ?? "")")
            } catch {
                throw AuthError(.cancelled, "\(error)")
            }
        }

        func close() async {}
    }
}
