import Foundation
import KeyturnBase
import KeyturnWire
import Model
import ServerTesting
import Synchronization
import Testing

@testable import Delivery

@Suite("Messages in the operator's own words")
struct TemplateTests {
    /// Reads a folder with these files.
    private func read(_ files: [String: String]) throws -> (templates: MessageTemplates, flaws: [String]) {
        let root = FileManager.default.temporaryDirectory.appendingPathComponent(
            "keyturn-\(Ambient.live.randomToken())")
        try FileManager.default.createDirectory(at: root, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: root) }
        for (path, content) in files {
            let file = root.appendingPathComponent(path)
            try FileManager.default.createDirectory(
                at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data(content.utf8).write(to: file)
        }
        let (templates, flaws) = MessageTemplates.read(folder: root.path)
        return (templates, flaws.map { "\($0.file)\($0.line.map { ":\($0)" } ?? ""): \($0.detail)" })
    }

    private func render(
        _ files: [String: String], _ kind: MessageKind = .code, _ channel: DeliveryMethod = .email,
        template: String? = "welcome", locale: String? = nil, options: [String: String] = [:],
        values: [String: String] = [:], links: [String] = []
    ) throws -> RenderedMessage {
        let (templates, flaws) = try read(files)
        #expect(flaws == [])
        let renderer = try MessageRenderer(
            projectName: "Example", issuer: "https://id.example.com", templates: templates)
        return renderer.render(
            OutgoingMessage(
                kind: kind, channel: channel, to: "x", locale: locale, values: values, links: links,
                code: kind == .code ? "482913" : nil, template: template, options: options, idempotencyKey: "k"),
            id: MessageID(idempotencyKey: "k"), createdAt: UnixTime(rawValue: 1_800_000_000))
    }

    private static let mail = """
        Subject: {{code}} for {{app}}

        Hello{{#options.name}} {{options.name}}{{/options.name}}!
        {{#minutes}}
        Good for {{ minutes }} minutes.
        {{/minutes}}
        {{code}}
        """
    private static let page = "<p title=\"a > b\">Hello {{options.name}}</p>\n<b>{{code}}</b>\n"

    @Test func `a mail has the subject, the text and the page that were written for it`() throws {
        let files = ["welcome/code.en.txt": Self.mail, "welcome/code.en.html": Self.page]
        let message = try render(files, options: ["name": "Maria"], values: [MessageValue.minutes: "10"])
        #expect(message.subject == "482913 for Example")
        #expect(message.text == "Hello Maria!\nGood for 10 minutes.\n482913")
        #expect(message.html == "<p title=\"a > b\">Hello Maria</p>\n<b>482913</b>\n")
        #expect(message.code == "482913" && message.language == "en")
        let bare = try render(["welcome/code.en.txt": Self.mail])
        #expect(bare.text == "Hello!\n482913" && bare.html == nil)
    }

    @Test func `113: what a stranger sends along is escaped, one line, bounded, and leads nowhere`() throws {
        let files = ["welcome/code.en.txt": Self.mail, "welcome/code.en.html": Self.page]
        let hostile = try render(files, options: ["name": "<img src=x onerror=alert(1)>\"'&{{code}}\r\nBcc: x"])
        #expect(hostile.html?.contains("<img") == false && hostile.html?.contains("&lt;img") == true)
        #expect(hostile.html?.contains("&quot;&#39;&amp;{{code}}") == true)
        #expect(!hostile.text.contains("\r") && !hostile.text.contains("\nBcc"))
        let long = try render(files, options: ["name": String(repeating: "y", count: 5_000)])
        #expect(long.text.count < 300)
        for address in ["Pay at https://evil.test", "See WWW.evil.test"] {
            let led = try render(files, options: ["name": address, "evil name": "x"])
            #expect(led.text.hasPrefix("Hello!") && led.html?.contains("evil") == false)
        }
    }

    @Test func `a section for what is not there, and comments`() throws {
        let text =
            "{{! for {{ telephones }}{{code}}{{^minutes}}!{{/minutes}}{{^code}}none{{/code}}{{^links}}.{{/links}}"
        let files = ["welcome/code.en.sms.txt": text]
        #expect(try render(files, .code, .whatsapp).text == "482913!.")
        let late = try render(
            files, .code, .whatsapp, values: [MessageValue.minutes: "10"], links: ["https://e.example"])
        #expect(late.text == "482913")
    }

    @Test func `a text is not escaped, a page is`() throws {
        let files = [
            "welcome/code.en.txt":
                "Subject: {{options.name}}\n\n{{#options.name}}{{options.name}}{{/options.name}}{{code}}",
            "welcome/code.en.html": "{{#options.name}}{{options.name}}{{/options.name}}{{code}}",
        ]
        let message = try render(files, options: ["name": "R&D <\"'>"])
        #expect(message.subject == "R&D <\"'>" && message.text == "R&D <\"'>482913")
        #expect(message.html == "R&amp;D &lt;&quot;&#39;&gt;482913")
    }

    @Test func `three links, a link in quotes, text messages and calls`() throws {
        let list = "Subject: Choose\n\n{{#links}}\n{{number}}: {{link}}\n{{/links}}\n"
        let links = ["https://e.example/?a=1&t=1", "https://e.example/2", "https://e.example/3"]
        let files = [
            "welcome/enchanted-link.en.txt": list,
            "welcome/enchanted-link.en.html": "{{#links}}<a href=\"{{link}}\">{{number}}</a>{{/links}}",
            "welcome/code.en.sms.txt": "{{code}} is it.\n", "welcome/code.en.voice.txt": "Listen: {{code}}.\n",
        ]
        let numbers = [MessageValue.linkIDs: "12 45 78"]
        let mail = try render(files, .enchantedLink, values: numbers, links: links)
        #expect(mail.text == "12: https://e.example/?a=1&t=1\n45: https://e.example/2\n78: https://e.example/3\n")
        #expect(mail.html?.hasPrefix("<a href=\"https://e.example/?a=1&amp;t=1\">12</a>") == true)
        let text = try render(files, .code, .sms)
        #expect(text.text == "482913 is it.\n\n@id.example.com #482913" && text.subject.isEmpty && text.html == nil)
        #expect(try render(files, .code, .voice).text == "Listen: 4, 8, 2, 9, 1, 3.")
        #expect(try render(files, .code, .whatsapp).text == "482913 is it.")
    }

    @Test func `the language, the template and the words are the nearest that there are`() throws {
        func mail(_ word: String) -> String { "Subject: \(word)\n\n\(word) {{code}}\n" }
        let files = [
            "welcome/code.en.txt": mail("welcome"), "welcome/code.fr.txt": mail("bienvenue"),
            "default/code.de.txt": mail("Standard"), "default/code.nl.txt": mail("standaard"),
        ]
        #expect(try render(files, locale: "fr-CA").text.hasPrefix("bienvenue"))
        #expect(try render(files, locale: "fr-CA").language == "fr")
        #expect(try render(files, locale: "pl").text.hasPrefix("welcome"))
        #expect(try render(files, template: nil, locale: "de").text.hasPrefix("Standard"))
        #expect(try render(files, template: nil, locale: "pl").text.hasPrefix("Standard"))
        #expect(try render(files, template: "nobody-knows", locale: "nl").text.hasPrefix("standaard"))
        let builtIn = try render(files, .magicLink, links: ["https://id.example.com/l"])
        #expect(builtIn.subject == "Sign in to Example" && builtIn.html != nil)
        #expect(try render(files, .code, .sms, locale: "de").text.contains("Ihr Code"))
    }

    @Test(arguments: [
        ("welcome/code.en.txt", "Subject: x\n\n\nYour {{cod}}", "welcome/code.en.txt:4: there is no {{cod}} here"),
        ("welcome/code.en.txt", "Subject: x\n\nHello", "welcome/code.en.txt: it lacks {{code}}"),
        (
            "welcome/code.en.txt", "Your {{code}}",
            "welcome/code.en.txt:1: a mail begins with its subject and an empty line"
        ),
        ("welcome/code.en.txt", "Subject:\n\n{{code}}", "welcome/code.en.txt:1: the subject is empty"),
        ("welcome/code.en.sms.txt", "{{{code}}}", "welcome/code.en.sms.txt:1: values cannot be left unescaped"),
        ("welcome/code.en.sms.txt", "{{&code}}", "welcome/code.en.sms.txt:1: values cannot be left unescaped"),
        ("welcome/code.en.sms.txt", "{{code", "welcome/code.en.sms.txt:1: \"{{\" is not closed on its line"),
        ("welcome/code.en.sms.txt", "{{code}}\n{{#link}}", "welcome/code.en.sms.txt:2: {{#link}} is not closed"),
        ("welcome/code.en.sms.txt", "{{code}} {{/link}}", "welcome/code.en.sms.txt:1: {{/link}} closes nothing"),
        ("welcome/code.en.sms.txt", "{{number}}", "welcome/code.en.sms.txt:1: there is no {{number}} here"),
        ("welcome/code.en.sms.txt", "{{> foot}}", "welcome/code.en.sms.txt:1: there is no template to take in here"),
        ("welcome/code.en.sms.txt", "{{< foot}}", "welcome/code.en.sms.txt:1: there is no template to take in here"),
        ("welcome/code.en.sms.txt", "\n{{=<% %>=}}", "welcome/code.en.sms.txt:2: the delimiters cannot be changed"),
        (
            "welcome/code.en.sms.txt", "{{%CONTENT_TYPE: TEXT}}",
            "welcome/code.en.sms.txt:1: there is no {{%CONTENT_TYPE:TEXT}} here"
        ),
        ("welcome/code.en.sms.txt", "{{.}}", "welcome/code.en.sms.txt:1: there is no {{.}} here"),
        (
            "welcome/code.en.sms.txt", "{{uppercased(code)}}",
            "welcome/code.en.sms.txt:1: there is no {{uppercased(code)}} here"
        ),
        ("welcome/code.en.sms.txt", "{{code}}\n{{^link}}", "welcome/code.en.sms.txt:2: {{^link}} is not closed"),
        ("welcome/code.en.sms.txt", "{{code}}\n{", "welcome/code.en.sms.txt:2: Mustache cannot read this"),
        (
            "welcome/code.en.sms.txt", String(repeating: "{{#app}}\n", count: 33),
            "welcome/code.en.sms.txt:33: sections are nested too deep"
        ),
        ("welcome/magic-link.en.sms.txt", "Hello", "welcome/magic-link.en.sms.txt: it lacks {{link}}"),
        (
            "welcome/verify-address.en.sms.txt", "{{code}}",
            "welcome/verify-address.en.sms.txt: it lacks {{link}}"
        ),
        ("welcome/code.en.html", "{{code}}", "welcome/code.en.html: the mail has no text"),
        ("welcome/code.txt", "x", "welcome/code.txt: this is not the name of a template"),
        ("welcome/kode.en.txt", "x", "welcome/kode.en.txt: this is not the name of a template"),
        ("code.en.txt", "x", "code.en.txt: it is not a folder of a template"),
    ])
    func `a mistake is found before anything is sent, and said with its place`(
        _ file: String, _ content: String, _ flaw: String
    ) throws {
        #expect(try read([file: content]).flaws == [flaw])
    }

    @Test(arguments: [
        "<a title=\"{{options.x}}\">{{code}}</a>", "<a href={{link}}>{{code}}</a>", "<a {{code}}>x</a>",
        "<script>1</script>{{code}}", "<a href='{{app}}'>{{code}}</a>",
    ])
    func `113: a page has no place where a value could become more than text`(_ page: String) throws {
        let flaws = try read(["w/code.en.txt": "Subject: x\n\n{{code}}", "w/code.en.html": page]).flaws
        #expect(flaws.count == 1 && flaws[0].hasPrefix("w/code.en.html:1: "))
    }

    @Test func `a folder that is not there, and a file that is no text, are mistakes`() throws {
        let (_, flaws) = MessageTemplates.read(folder: "/nowhere/at/all")
        #expect(flaws.count == 1)
        #expect(try read(["w/code.en.sms.txt": String(repeating: "x", count: 200_000)]).flaws.count == 1)
        #expect(try read(["w/.hidden": "x"]).flaws == [])
    }

    @Test func `an unknown template is noticed, and the message is sent`() async throws {
        let post = try Post()
        let events = TemplateEvents()
        let transport = ScriptedTransport()
        let courier = QueuedMessageSender(
            queue: post.queue, renderer: post.renderer, transports: [.email: transport], keepsContent: false,
            ambient: post.clock.ambient
        ) { event in
            if case .templateMissing = event { events.count() }
        }
        var message = Post.message()
        message.template = "nobody-knows"
        message.options = ["name": "Maria"]
        try await post.enqueue(message)
        #expect(await courier.deliverDue() == 1)
        #expect(transport.messages.first?.subject == "Your code for Example")
        #expect(events.total == 1)
    }
}

/// Counts, from wherever the courier reports.
private final class TemplateEvents: Sendable {
    private let number = Mutex(0)

    var total: Int { number.withLock { $0 } }

    func count() { number.withLock { $0 += 1 } }
}
