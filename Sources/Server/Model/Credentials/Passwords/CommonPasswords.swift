/// Passwords that attackers try first: refused. Lower case; at least eight characters, since shorter ones are refused
/// anyway. A larger list belongs in a file of the operator's own.
enum CommonPasswords {
    /// Whether `lowercase` is among them.
    static func contains(_ lowercase: String) -> Bool {
        all.contains(lowercase)
    }

    private static let all: Set<String> = Set(
        """
        password password1 password12 password123 password1234 password! passw0rd p@ssw0rd p@ssword
        pa55word 12345678 123456789 1234567890 12341234 123123123 1q2w3e4r 1q2w3e4r5t 1qaz2wsx q1w2e3r4
        qwertyui qwertyuiop qwerty12 qwerty123 qwerty1234 asdfghjkl asdfasdf asdf1234 zxcvbnm1 zaq12wsx
        iloveyou iloveyou1 sunshine sunshine1 princess princess1 football football1 baseball baseball1
        basketball superman superman1 batman123 welcome1 welcome123 welcome2024 welcome2025 welcome2026
        letmein1 letmein123 trustno1 starwars starwars1 computer computer1 internet whatever michelle
        jennifer jessica1 jordan23 charlie1 corvette mercedes maverick master123 mustang1 shadow12 michael1
        matthew1 monkey123 dragon123 abc12345 abcd1234 abcdefgh abcdefg1 a1b2c3d4 aa123456 admin123
        admin1234 administrator root1234 toor1234 changeme changeme1 default1 secret123 test1234 testtest
        testing123 guest123 user1234 11111111 00000000 22222222 55555555 66666666 77777777 88888888
        99999999 111111111 987654321 87654321 0987654321 12344321 11223344 112233445566 123qweasd 123qwe123
        qweasdzxc qwe123qwe google123 facebook1 linkedin1 samsung1 hello123 hello1234 freedom1 fuckyou1
        liverpool chelsea1 arsenal1 barcelona realmadrid pokemon1 naruto123 minecraft nintendo playstation
        cocacola chocolate blink182 rockyou1 babygirl butterfly elizabeth jonathan victoria veronica
        spiderman snowball tinkerbell summer2024 summer2025 summer2026 winter2024 winter2025 winter2026
        spring2025 spring2026 autumn2025 september november december passport access14 security qazwsxedc
        1234qwer asd123456 zxcv1234 passwort passwort1 hallo123 schatzi1 geheim123 sommer2025 sommer2026
        willkommen willkommen1 motdepasse azertyui azerty123 doudou123 contraseña parola123 qwertz123
        qwertzui qwertzuiop
        """.split(whereSeparator: \.isWhitespace).map(String.init))
}
