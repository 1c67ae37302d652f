import ArgumentParser
import Testing

@testable import keyturn

@Suite("Commands that are mistyped, and their help")
struct MistypedCommandTests {
    let place: Place

    init() throws {
        place = try Place()
    }

    @Test(arguments: [
        (["usr", "list"], "keyturn user"), (["user", "lst"], "keyturn user list"), (["serv"], "keyturn serve"),
        (["client", "craete", "web"], "keyturn client create"), (["tokn"], "keyturn token"),
    ])
    func `a mistyped command gets a suggestion`(arguments: [String], meant: String) {
        let sentence = MistypedCommand.sentence(arguments, root: KeyturnCommand.self)
        #expect(sentence?.contains("Did you mean `\(meant)`?") == true, "\(sentence ?? "nothing")")
    }

    @Test(arguments: [["user", "list"], ["--version"], ["help"], ["xyzzy"], ["token", "nonsense"], []])
    func `what is no slip gets none`(arguments: [String]) {
        #expect(MistypedCommand.sentence(arguments, root: KeyturnCommand.self) == nil)
    }

    @Test func `the program itself says it, with exit code 2`() throws {
        let run = try place.run("usr", "list")
        #expect(run.status == 2 && run.errors.contains("Did you mean `keyturn user`?"))
    }

    @Test func `a client for sign-ins needs a redirect URI; another kind names its grant type`() throws {
        let refused = try place.run("client", "create", "web")
        #expect(refused.status == 2 && refused.errors.contains("--redirect-uri"))
        #expect(try place.run("client", "create", "job", "--grant-type", "client_credentials").status == 0)
        #expect(try place.run("client", "list").output.contains("job"))
        let open = try place.run("client", "create", "open", "--public", "--grant-type", "client_credentials")
        #expect(open.status == 2 && open.errors.contains("client_credentials is for clients that can prove who they"))
    }

    @Test func `a duplicate says what is there already`() throws {
        let redirect = ["--redirect-uri", "https://www.example.com/callback"]
        #expect(try place.run("client", "create", "web", "--name", "Shop", redirect[0], redirect[1]).status == 0)
        let client = try place.run("client", "create", "web", redirect[0], redirect[1])
        #expect(client.status == 2 && client.errors.contains("there is a client web already: Shop"))
        let made = try place.run("user", "create", "ann@example.com", "--no-password", "--json")
        let sub = try #require(made.output.split(separator: "\"sub\":\"").last?.prefix(36))
        let user = try place.run("user", "create", "ANN@example.com", "--no-password")
        #expect(user.status == 2 && user.errors.contains("there is a user ann@example.com already: \(sub)"))
    }

    @Test func `help keeps its lines and names its arguments`() {
        let help = UserCommand.Import.helpMessage(columns: 80)
        #expect(
            help.contains(
                "\n  {\"login_ids\": [\"ann@example.com\"], \"email\": \"ann@example.com\",\n   \"email_verified\""))
        #expect(help.contains("\nA row is one line of the file."))
        let assign = UserCommand.Assign.helpMessage(columns: 80)
        #expect(assign.contains("\n  keyturn user assign ann@example.com --tenant ent-1 --role admin\n"))
        #expect(UserCommand.Create.helpMessage().contains("<login-ids>"))
        let option = LockCommand.helpMessage(columns: 80).split(separator: "\n").filter { $0.contains("programs") }
        #expect(option.allSatisfy { $0.hasPrefix(String(repeating: " ", count: 20)) })
    }
}
