/// Domains where anyone can have an address: they belong to no tenant.
public enum PublicMailDomains {
    private static let names: Set<String> = [
        "126.com", "163.com", "aim.com", "aol.com", "att.net", "bellsouth.net", "bluewin.ch", "bol.com.br",
        "btinternet.com", "charter.net", "comcast.net", "cox.net", "daum.net", "duck.com", "email.com", "fastmail.com",
        "fastmail.fm", "foxmail.com", "free.fr", "freenet.de", "gmail.com", "gmx.at", "gmx.ch", "gmx.com", "gmx.de",
        "gmx.net", "googlemail.com", "hanmail.net", "hey.com", "home.nl", "hotmail.co.uk", "hotmail.com", "hotmail.de",
        "hotmail.es", "hotmail.fr", "hotmail.it", "icloud.com", "inbox.com", "kpnmail.nl", "laposte.net", "libero.it",
        "live.co.uk", "live.com", "live.nl", "mac.com", "mail.com", "mail.ru", "mailbox.org", "mailinator.com",
        "me.com",
        "msn.com", "naver.com", "orange.fr", "outlook.com", "outlook.de", "outlook.fr", "passport.com", "pm.me",
        "posteo.de", "proton.me", "protonmail.ch", "protonmail.com", "qq.com", "rediffmail.com", "rocketmail.com",
        "sbcglobal.net", "seznam.cz", "sfr.fr", "shaw.ca", "sina.com", "skynet.be", "t-online.de", "telenet.be",
        "tuta.com", "tutanota.com", "uol.com.br", "verizon.net", "wanadoo.fr", "web.de", "wp.pl", "ya.ru", "yahoo.ca",
        "yahoo.co.in", "yahoo.co.jp", "yahoo.co.uk", "yahoo.com", "yahoo.com.br", "yahoo.de", "yahoo.es", "yahoo.fr",
        "yahoo.it", "yandex.com", "yandex.ru", "yeah.net", "ymail.com", "ziggo.nl", "zoho.com",
    ]

    /// Whether anyone can have an address in the domain.
    public static func contains(_ domain: EmailDomain) -> Bool { names.contains(domain.name) }
}
