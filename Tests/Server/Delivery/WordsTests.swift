import KeyturnBase
import KeyturnWire
import Model
import Testing
import Texts

@testable import Delivery

@Suite("The words of messages")
struct WordsTests {
    private func render(
        _ kind: MessageKind, _ channel: DeliveryMethod, locale: String? = nil, values: [String: String] = [:],
        links: [String] = [], code: String? = nil
    ) throws -> RenderedMessage {
        try Post.rendered(
            OutgoingMessage(
                kind: kind, channel: channel, to: "x", locale: locale, values: values, links: links, code: code,
                idempotencyKey: "k"))
    }

    @Test(arguments: MessageKind.allCases, TextCatalog.builtIn.tables.map(\.code))
    func `every kind has words in every language on every channel`(kind: MessageKind, locale: String) throws {
        for channel in [DeliveryMethod.email, .sms, .whatsapp, .voice] {
            let message = try render(kind, channel, locale: locale, links: ["https://id.example.com/l"], code: "482913")
            #expect(message.language == locale)
            #expect(message.text.contains("Example"))
            #expect(message.subject.isEmpty == (channel != .email))
            #expect((message.html != nil) == (channel == .email))
            if channel == .email {
                #expect(message.text.contains("https://id.example.com/l"))
                #expect(
                    try #require(message.html).contains("href=\"https:&#x2F;")
                        || message.html?.contains("href=\"https://") == true)
            }
        }
    }

    @Test func `a mail has the accent of the theme on its buttons, and nowhere else`() throws {
        let message = OutgoingMessage(
            kind: .magicLink, channel: .email, to: "x", links: ["https://id.example.com/l"], idempotencyKey: "k")
        func html(_ colors: MailColors) throws -> String {
            let renderer = try MessageRenderer(
                projectName: "Example", issuer: "https://id.example.com", colors: colors)
            let rendered = renderer.render(
                message, id: MessageID(idempotencyKey: "k"), createdAt: UnixTime(rawValue: 1_800_000_000))
            return try #require(rendered.html)
        }
        let builtIn = try html(MailColors())
        #expect(builtIn == (try Post.rendered(message).html))
        #expect(builtIn.contains("background:#0a6a55;color:#ffffff;border-radius"))
        #expect(builtIn.contains("{ background: #63d2b4 !important; color: #06251d !important; }"))
        let own = try html(
            MailColors(accent: "#7a1f5c", accentText: "#fffffe", darkAccent: "#f0a0d0", darkAccentText: "#30001f"))
        let restored = own.replacing("#7a1f5c", with: "#0a6a55").replacing("#fffffe", with: "#ffffff")
            .replacing("#f0a0d0", with: "#63d2b4").replacing("#30001f", with: "#06251d")
        #expect(own != builtIn && restored == builtIn)
    }

    @Test func `a mail in Arabic is written from right to left, and its code and addresses are not`() throws {
        let message = try render(
            .newSignIn, .email, locale: "ar-EG",
            values: [MessageValue.device: "Firefox on Linux", MessageValue.when: "2026-11-22 06:30 UTC"])
        let html = try #require(message.html)
        #expect(message.language == "ar" && html.contains("<html lang=\"ar\" dir=\"rtl\">"))
        // Each value keeps its direction by itself (Unicode's isolates).
        #expect(message.text.contains("\u{2068}2026-11-22 06:30 UTC\u{2069}"))
        #expect(message.text.contains("\u{2068}Example\u{2069}") && !message.text.contains(" on Linux"))
        let code = try render(.code, .email, locale: "ar", code: "482913")
        #expect(code.html?.contains("<p class=\"code\" dir=\"ltr\"") == true && code.text.contains("    482913\n"))
        #expect(try render(.code, .email, locale: "fr", code: "1").html?.contains("lang=\"fr\" dir=\"ltr\"") == true)
        let short = try render(.code, .sms, locale: "ar", code: "482913").text
        #expect(short.hasSuffix("\n\n@id.example.com #482913"))
    }

    @Test func `the minutes of a code follow the plural rules`() throws {
        func text(_ minutes: String, _ locale: String) throws -> String {
            try render(.code, .email, locale: locale, values: [MessageValue.minutes: minutes], code: "1").text
        }
        #expect(try text("1", "en").contains("within 1 minute.") && text("10", "en").contains("within 10 minutes."))
        #expect(try text("2", "ar").contains("دقيقتين") && text("10", "ar").contains("10 دقائق"))
        #expect(try text("soon", "en").contains("It can be used once.") && text("10", "ja").contains("10分以内"))
    }

    @Test(arguments: [("de-AT", "de"), ("DE_ch", "de"), ("en-GB", "en"), ("tlh", "en"), ("", "en")])
    func `the nearest language is spoken`(locale: String, code: String) throws {
        #expect(try render(.code, .email, locale: locale, code: "1").language == code)
    }

    @Test(arguments: ["en", "de-AT"])
    func `a notice names time, browser, network and app, and says what to do`(_ locale: String) throws {
        let values = [
            MessageValue.clientName: "Example TV", MessageValue.networkAddress: "192.0.2.7",
            MessageValue.device: "Firefox on Linux", MessageValue.when: "2026-11-22 06:30 UTC",
        ]
        let words = try render(
            .sessionEnded, .email, locale: locale, values: values, links: ["https://id.example.com/settings"])
        let device = locale == "en" ? "Firefox on Linux" : "Firefox unter Linux"
        for part in ["Example TV", "192.0.2.7", "2026-11-22 06:30 UTC", device, "https://id.example.com/settings"] {
            #expect(words.text.contains(part), "\(part)")
        }
        let changed = try render(.passwordChanged, .email, locale: locale).text
        #expect(changed.contains(locale == "en" ? "Forgot your password?" : "Passwort vergessen?"))
    }

    @Test func `the last line of a text message binds the code to this server's host`() throws {
        let message = try render(.code, .sms, code: "482913")
        #expect(message.text.split(separator: "\n").last == "@id.example.com #482913")
        #expect(!message.text.hasSuffix("\n"))
        #expect(message.text.count <= 160)
        let elsewhere = try render(.code, .sms, values: [MessageValue.domain: "app.example"], code: "482913")
        #expect(elsewhere.text.hasSuffix("@app.example #482913"))
        let evil = try render(.code, .sms, values: [MessageValue.domain: "a.example #1\n@b"], code: "482913")
        #expect(!evil.text.contains("@"))
        #expect(try !render(.code, .whatsapp, code: "482913").text.contains("@"))
    }

    @Test func `a call spells the code, twice`() throws {
        let text = try render(.code, .voice, code: "482913").text
        #expect(text == "Your code for Example is: 4, 8, 2, 9, 1, 3. Once more: 4, 8, 2, 9, 1, 3.")
    }

    @Test func `three links carry their numbers`() throws {
        let links = ["https://e.example/1", "https://e.example/2", "https://e.example/3"]
        let text = try render(.enchantedLink, .email, values: [MessageValue.linkIDs: "12 45 78"], links: links).text
        #expect(text.contains("12: https://e.example/1"))
        #expect(text.contains("78: https://e.example/3"))
    }

    @Test func `113: what a stranger may choose is escaped, one line, bounded, and no script`() throws {
        let values = [MessageValue.appName: "<img src=x>\n" + String(repeating: "y", count: 5_000)]
        let links = [
            "javascript:alert(1)", "https://a.example/\r\nb", "DATA:text/html,x", "https://a.example/?a=1&b=\"2",
        ]
        let message = try render(.newSignIn, .email, values: values, links: links)
        let html = try #require(message.html)
        #expect(!html.contains("<img"))
        #expect(!html.contains("&b=\"2"))
        #expect(message.links == ["https://a.example/?a=1&b=\"2"])
        #expect(message.subject.count <= 150)
        #expect(!message.subject.contains("\n"))
        #expect(!html.contains("http-equiv") && !html.contains("src=\""))
    }
}
