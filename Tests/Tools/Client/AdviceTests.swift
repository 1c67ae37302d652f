import ArgumentParser
import Keyturn
import KeyturnBase
import Testing

@testable import keyturn

@Suite("Client commands: the commands that sentences name")
struct AdviceTests {
    static let issuer = "https://id.example.com"

    private func known(_ how: [String]) -> [String: ServiceChoice] {
        var choice = ServiceChoice(service: .keyturn, issuer: Self.issuer, clientID: "cli")
        choice.how = how
        return ["work": choice]
    }

    @Test func `a session's next sign-in takes what the last one took, and its name`() {
        let advice = Advice.of("work", known: known(["--device", "--audience", "reports"]), environment: [:])
        #expect(advice.login == "keyturn login --device --audience reports --name work")
        #expect(advice.command(["logout", "--force"]) == "keyturn logout --force --name work")
        #expect(Advice.of("default", known: [:], environment: [:]).login == "keyturn login --issuer URL")
        #expect(Advice.of("new", known: [:], environment: [:]).login == "keyturn login --issuer URL --name new")
        #expect(Advice.plain.login == "keyturn login")
    }

    @Test func `the issuer is named where the environment would lead to another`() {
        for (variable, more) in [("https://other", " --issuer \(Self.issuer)"), (Self.issuer, ""), ("", "")] {
            let advice = Advice.of("work", known: known([]), environment: ["KEYTURN_ISSUER": variable])
            #expect(advice.login == "keyturn login\(more) --name work")
        }
    }

    @Test func `an operator's session has a name of its own`() {
        #expect(Advice(name: "operator", options: ["--operator"]).login == "keyturn login --operator")
        #expect(Advice(name: "second", options: ["--operator"]).login == "keyturn login --operator --name second")
        #expect(Advice(name: "operator").command(["logout"]) == "keyturn logout --name operator")
    }

    @Test(arguments: [
        ("plain-1.2_@:/", "plain-1.2_@:/"), ("two words", "'two words'"), ("", "''"), ("it's", #"'it'\''s'"#),
        ("$(rm)", "'$(rm)'"), ("a\u{1B}[2J", "'a[U+001B][2J'"),
    ])
    func `a shell reads a word back as it was`(_ word: String, _ quoted: String) {
        #expect(ShellWord.quoted(word) == quoted)
    }

    @Test(arguments: [
        (
            ["--device", "--issuer", "https://id", "--name", "work", "--ca-file", "ca.pem"],
            "keyturn login --device --issuer https://id --ca-file ca.pem --name work"
        ),
        (
            ["--method", "otp", "--login-id", "a@b.cd", "--sign-up", "--project", "P1"],
            "keyturn login --method otp --login-id a@b.cd --sign-up --project P1"
        ),
        (["--no-browser", "--fresh", "--scope", "openid x"], "keyturn login --no-browser --fresh --scope 'openid x'"),
        (["--operator", "--issuer", "https://id"], "keyturn login --operator --issuer https://id"),
        (
            ["--client-credentials", "--client-id", "reports", "--client-secret-file", "-"],
            "keyturn login --client-credentials --client-secret-file - --client-id reports"
        ),
    ])
    func `a sign-in that fails is named as it was typed`(_ arguments: [String], _ command: String) throws {
        let login = try LoginCommand.parse(arguments)
        #expect(login.advice.login == command)
        let failure = ClientFailure.failure(for: AuthError(.cancelled, ""), advice: login.advice)
        #expect(failure.sentence.contains("`\(command)`"))
    }

    @Test func `what is remembered leaves out what was meant for once and what is remembered anyway`() throws {
        let login = try LoginCommand.parse([
            "--issuer", "https://id", "--client-id", "a", "--service", "openid", "--no-browser", "--fresh",
            "--audience", "one", "--audience", "two", "--ca-file", "ca.pem", "--name", "work",
        ])
        #expect(login.words(isLater: true) == ["--no-browser", "--audience", "one", "--audience", "two"])
        let code = try LoginCommand.parse(["--method", "otp", "--login-id", "a@b.cd", "--sign-up"])
        #expect(code.words(isLater: true) == ["--method", "otp", "--login-id", "a@b.cd"])
    }

    @Test(arguments: [
        (AuthError.Code.signedOut, Int32(2)), (.sessionEnded, 2), (.tokenExpired, 2), (.deviceKeyLost, 2),
        (.interactionRequired, 2), (.tokenMisdirected, 2), (.storeKeyLost, 2), (.vaultIncomplete, 2),
        (.vaultKeyLocked, 2),
    ])
    func `what ends with a sign-in names it, on its own session`(_ code: AuthError.Code, _ exitCode: Int32) {
        let advice = Advice.of("work", known: known(["--device"]), environment: [:])
        let failure = ClientFailure.failure(for: AuthError(code, "the detail"), advice: advice)
        #expect(failure.code == exitCode)
        #expect(failure.sentence.contains("`keyturn login --device --name work`"))
    }

    @Test func `a session whose key is lost is replaced or removed`() {
        let advice = Advice.of("work", known: known([]), environment: [:])
        let sentence = ClientFailure.failure(for: AuthError(.storeKeyLost, ""), advice: advice).sentence
        #expect(sentence.contains("never be read again") && sentence.contains("`keyturn login --name work`"))
        #expect(sentence.contains("`keyturn logout --force --name work`"))
    }

    @Test func `why the service wants the user is told in its own words`() {
        let answer = AuthError.ServerAnswer(status: 400, code: "interaction_required", description: "AADSTS50076")
        let error = AuthError(.interactionRequired, "for an app's programmer", server: answer)
        let sentence = ClientFailure.failure(for: error, advice: Advice(name: "work")).sentence
        #expect(sentence.contains("(interaction_required: AADSTS50076)") && !sentence.contains("programmer"))
        let atSignIn = ClientFailure.failure(for: error, advice: Advice(isSignIn: true)).sentence
        #expect(atSignIn.contains("the sign-in did not work"))
    }

    @Test func `over SSH, and without a display, a code for another device is offered`() {
        let far = ["SSH_CONNECTION": "192.0.2.1 50000 192.0.2.2 22"]
        #expect(RemoteTerminal.hint(far, command: "keyturn login --device").contains("`keyturn login --device`"))
        #expect(RemoteTerminal.hint([:], command: "x").isEmpty)
        for display in ["DISPLAY", "WAYLAND_DISPLAY"] {
            #expect(RemoteTerminal.hint(far.merging([display: ":0"]) { $1 }, command: "x").isEmpty)
        }
    }

    @Test func `the sign-in with another device is for the same server and session`() throws {
        let login = try LoginCommand.parse([
            "--issuer", "https://id", "--no-browser", "--fresh", "--audience", "a", "--name", "work",
        ])
        #expect(login.deviceAdvice == "keyturn login --device --audience a --issuer https://id --name work")
    }
}
