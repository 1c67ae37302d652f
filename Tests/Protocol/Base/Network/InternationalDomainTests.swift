import Testing
@testable import KeyturnBase

@Suite("International domains, RFC 3492 and RFC 5891")
struct InternationalDomainTests {
    /// RFC 3492 §7.1, without those whose letter case it annotates.
    static let samples = [
        (
            "\u{644}\u{64A}\u{647}\u{645}\u{627}\u{628}\u{62A}\u{643}\u{644}\u{645}\u{648}\u{634}\u{639}\u{631}\u{628}\u{64A}\u{61F}",
            "egbpdaj6bu4bxfgehfvwxn"
        ),
        ("他们为什么不说中文", "ihqwcrb4cv8a8dqg056pqjye"), ("他們爲什麽不說中文", "ihqwctvzc91f659drss3x8bo0yb"),
        ("Pro\u{10D}prost\u{11B}nemluv\u{ED}\u{10D}esky", "Proprostnemluvesky-uyb24dma41a"),
        (
            "\u{5DC}\u{5DE}\u{5D4}\u{5D4}\u{5DD}\u{5E4}\u{5E9}\u{5D5}\u{5D8}\u{5DC}\u{5D0}\u{5DE}\u{5D3}\u{5D1}\u{5E8}\u{5D9}\u{5DD}\u{5E2}\u{5D1}\u{5E8}\u{5D9}\u{5EA}",
            "4dbcagdahymbxekheh6e0a7fei0b"
        ),
        ("なぜみんな日本語を話してくれないのか", "n8jok5ay5dzabd5bym9f0cm5685rrjetr6pdxa"),
        ("почемужеонинеговорятпорусски", "b1abfaaepdrnnbgefbadotcwatmq2g4l"),
        ("Porqu\u{E9}nopuedensimplementehablarenEspa\u{F1}ol", "PorqunopuedensimplementehablarenEspaol-fmd56a"),
        ("3年B組金八先生", "3B-ww4c5e180e575a65lsy2b"),
        ("安室奈美恵-with-SUPER-MONKEYS", "-with-SUPER-MONKEYS-pc58ag80a8qai00g7n9n"),
        ("Hello-Another-Way-それぞれの場所", "Hello-Another-Way--fc4qua05auwb3674vfr0b"), ("ひとつ屋根の下2", "2-u9tlzr9756bt3uc0v"),
        ("MajiでKoiする5秒前", "MajiKoi5-783gue6qz075azm5e"), ("パフィーdeルンバ", "de-jg4avhby1noc0d"),
        ("そのスピードで", "d9juau41awczczp"), ("-> $1.00 <-", "-> $1.00 <--"),
    ]

    @Test(arguments: samples)
    func `each sample of the RFC is written and read`(_ text: String, _ code: String) {
        #expect(Punycode.encode(text) == code)
        #expect(Punycode.decode(code).map { Array($0.unicodeScalars) } == Array(text.unicodeScalars))
    }

    @Test(arguments: [
        "99999999", "bcher-kv!", "a-\u{E4}", "abc-9999999999", String(repeating: "a", count: 64),
    ])
    func `what is no label is not read`(_ code: String) {
        #expect(Punycode.decode(code) == nil)
    }

    @Test(arguments: [
        ("exämple.com", "xn--exmple-cua.com"), ("bücher.example", "xn--bcher-kva.example"),
        ("a.xn--exmple-cua.com", "a.xn--exmple-cua.com"), ("faß.example", "xn--fa-hia.example"),
        ("президент.рф", "xn--d1abbgf6aiiy.xn--p1ai"), ("例え.テスト", "xn--r8jz45g.xn--zckzah"),
        ("example.com", "example.com"),
    ])
    func `a domain has one spelling in ASCII, and one that is read`(_ typed: String, _ ascii: String) {
        #expect(InternationalDomain.ascii(typed) == ascii)
        #expect(InternationalDomain.ascii(ascii) == ascii)
        #expect(InternationalDomain.ascii(InternationalDomain.unicode(ascii)) == ascii)
        if !typed.contains("xn--") { #expect(InternationalDomain.unicode(ascii) == typed) }
    }

    @Test(arguments: [
        "ex\u{200B}ämple.com", "ex\u{AD}mple.com", "-ä.com", "ä-.com", "ab--ä.com", "\u{301}a.com", "Ä.com", "ä b.com",
        "ä。com",
        String(repeating: "ä", count: 63) + ".com", "☃.example",
    ])
    func `what is no label has no spelling in ASCII`(_ typed: String) {
        #expect(InternationalDomain.ascii(typed) == nil)
    }

    @Test(arguments: ["xn--a.com", "xn--exmple-CUA.com", "xn--99999999.com", "xn--.com"])
    func `a label that stands for no other one, or for one that is spelt otherwise, stays`(_ name: String) {
        #expect(InternationalDomain.unicode(name) == name)
    }
}
