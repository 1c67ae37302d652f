import Foundation
import KeyturnBase
import Model
import ServerTesting
import Testing

@testable import StoreSQL
@testable import keyturn

@Suite("Exporting a project: the programs")
struct TransferProgramTests {
    let here: Place
    let there: Place

    init() throws {
        (here, there) = (try Place(), try Place())
        _ = try here.makeSecrets()
        _ = try there.makeSecrets()
        for arguments in [
            ["user", "create", "ann@example.com", "--no-password"], ["tenant", "create", "acme"],
            ["role", "create", "reader"],
        ] {
            let (process, _, errors) = try here.start(arguments)
            process.waitUntilExit()
            let words = try String(contentsOf: errors, encoding: .utf8)
            #expect(process.terminationStatus == 0, "\(words)")
        }
    }

    @Test func `a project goes to another server, and both logs say so`() async throws {
        let recipient = try there.recipient()
        let path = here.path("project.export")
        let made = try here.run("export", "--recipient", recipient, path, "--json")
        #expect(made.status == 0, "\(made.errors)")
        let json = try JSONValue(parsing: made.output.utf8)
        #expect(json["tables"]?["user"] == 1 && json["recipients"] == 1 && json["secrets"] == true)
        #expect(try here.mode("project.export") == 0o600)
        #expect(try here.names().filter { $0.contains("partial") } == [])
        let bytes = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(bytes.range(of: Data("ann@example.com".utf8)) == nil, "it is encrypted")
        let event = try #require(try here.events(.projectExported, in: here.database).first)
        let (target, reason): (String?, String?) = (event["target"], event["reason"])
        #expect(target == json["sha256"]?.stringValue && reason == "encrypted")
        let actor: String = event["actor"]
        #expect(actor.hasPrefix("operator:"))

        let trial = try there.run("import", "--identity", there.path("id"), "--dry-run", path)
        #expect(trial.status == 0 && trial.output.contains("Would take in") && trial.output.contains("1 user,"))
        #expect(try there.userCount() == 0)
        let taken = try there.run("import", "--identity", there.path("id"), path)
        #expect(taken.status == 0, "\(taken.errors)")
        #expect(taken.output.contains("Took in"))
        #expect(try await there.account("ann@example.com") != nil)
        #expect(try there.events(.projectImported, in: there.database).count == 1)

        let again = try there.run("import", "--identity", there.path("id"), path)
        #expect(again.status == 2 && again.errors.contains("is there already"))
        #expect(again.errors.contains("--keep-existing") && again.errors.contains("Nothing was changed"))
        let trialAgain = try there.run("import", "--identity", there.path("id"), "--dry-run", path, "--json")
        let counts = try JSONValue(parsing: trialAgain.output.utf8)
        #expect(trialAgain.status == 2 && counts["collision_count"]?.integerValue ?? 0 >= 2)
        #expect(counts["already_there"]?["tenant"] == 1 && counts["already_there"]?["role"] == 1)
        let kept = try there.run("import", "--identity", there.path("id"), "--keep-existing", path, "--json")
        let nothing = try JSONValue(parsing: kept.output.utf8)
        #expect(nothing["imported"] == 0 && kept.status == 0)
    }

    @Test func `an export that is not encrypted is asked for, has no secrets, and says so`() throws {
        let path = here.path("project.jsonl")
        let unasked = try here.run("export", path)
        #expect(unasked.status == 2 && unasked.errors.contains("--recipient") && unasked.errors.contains("--plain"))
        let both = try here.run("export", "--plain", "--recipient", try there.recipient(), path)
        #expect(both.status == 2 && both.errors.contains("say it, or --recipient"))
        let sessions = try here.run("export", "--plain", "--with-sessions", path)
        #expect(sessions.status == 2 && sessions.errors.contains("encrypted file alone"))
        #expect(!FileManager.default.fileExists(atPath: path))
        let plain = try here.run("export", "--plain", path)
        #expect(plain.status == 0 && plain.errors.contains("is not encrypted"))
        let lines = try here.lines("project.jsonl")
        #expect(lines.first?["format"] == "keyturn-export" && lines.first?["secrets"] == false)
        #expect(lines.contains { $0["row"]?["value"] == "ann@example.com" })
        #expect(lines.last?["end"]?["rows"]?["user"] == 1)
        let taken = try there.run("import", path)
        #expect(taken.status == 0 && taken.output.contains("users have no passwords"))
        #expect(try there.userCount() == 1)
    }

    @Test func `a file that is there, a server far away and a database without secrets are refused`() throws {
        let recipient = try there.recipient()
        try here.write("mine", "taken")
        let taken = try here.run("export", "--recipient", recipient, here.path("taken"))
        #expect(taken.status == 2 && taken.errors.contains("is there already"))
        #expect(try here.read("taken") == "mine")
        for command in ["export", "import"] {
            let far = try here.run(command, "--server", "https://id.example.com", here.path("x"))
            #expect(far.status == 2 && far.errors.contains("on that machine"), "\(far.errors)")
        }
        try FileManager.default.removeItem(atPath: here.database + ".secrets")
        let without = try here.run("export", "--recipient", recipient, here.path("x"))
        #expect(without.status == 2 && without.errors.contains("start the server once"), "\(without.errors)")
    }

    @Test func `another identity, a damaged, a cut and a strange file take nothing in`() throws {
        let recipient = try there.recipient()
        let path = here.path("project.export")
        #expect(try here.run("export", "--recipient", recipient, path).status == 0)
        let none = try there.run("import", path)
        #expect(none.status == 2 && none.errors.contains("--identity"))
        _ = try there.recipient("other")
        let wrong = try there.run("import", "--identity", there.path("other"), path)
        #expect(wrong.status == 2 && wrong.errors.contains("other recipients"))
        let bytes = Array(try Data(contentsOf: URL(fileURLWithPath: path)))
        var damaged = bytes
        damaged[damaged.count / 2] ^= 1
        let broken = try there.run("import", "--identity", there.path("id"), try there.write(damaged, "damaged"))
        #expect(
            broken.status == 1 && broken.errors.contains("damaged") && broken.errors.contains("Nothing was changed"))
        let cut = try there.run(
            "import", "--identity", there.path("id"), try there.write(Array(bytes.dropLast(40)), "cut"))
        #expect(cut.status == 1 && cut.errors.contains("take another copy"), "\(cut.errors)")
        let strange = try there.run("import", try there.write("login_id,name\n", "users.csv"))
        #expect(strange.status == 2 && strange.errors.contains("no export of a project"))
        let backup = there.path("a.backup")
        #expect(try there.run("backup", "--recipient", recipient, backup).status == 0)
        let other = try there.run("import", "--identity", there.path("id"), backup)
        #expect(other.status == 2 && other.errors.contains("keyturn restore"), "\(other.errors)")
        #expect(try there.userCount() == 0)
        #expect(try there.events(.projectImported, in: there.database).isEmpty)
    }
}
