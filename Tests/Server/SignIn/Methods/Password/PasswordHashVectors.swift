import Testing

/// Password hashes as other libraries make them: bcrypt 5.0, passlib 1.7, argon2-cffi 25.1, Django 5.2 and libxcrypt 4.4,
/// at the lowest costs that they allow.
struct PasswordHashVector: Sendable, CustomTestStringConvertible {
    let name: String
    let password: String
    let hash: String
    var testDescription: String { name }

    static let passwords = [
        "plain": "correct-horse-battery", "accents": "p\u{E4}ssw\u{F6}rd-日本",
        "edge": "012345678901234567890123456789012345678901234567890123456789012345678901",
    ]

    static let all: [PasswordHashVector] = {
        let lines = text.split(separator: "\n").map(String.init)
        return stride(from: 0, to: lines.count, by: 2).map { index in
            let head = lines[index].split(separator: "|").map { $0.filter { $0 != " " } }
            return PasswordHashVector(
                name: lines[index], password: passwords[head[0]] ?? "", hash: lines[index + 1])
        }
    }()

    private static let text = #"""
        plain | bcrypt 2a
        $2a$05$FaodaopzuDuMyEs3z5CKhuNxZ6wtuX4f.W/9AZxAa.l2zNyzysS/.
        accents | bcrypt 2a
        $2a$05$4NcYp1RN/Yc.mqFR87.wrOOC3M2yMJgClqFS3noXjHVq5XjdVPtd2
        plain | bcrypt 2b
        $2b$05$r7hD/O66yxGVBRwcI9wlOOV7UfJObq0tQRzjehjdT4CzZtBV9uldW
        accents | bcrypt 2b
        $2b$05$.6oEnaMYvZ21A4AmhPYtYe1afC1IgPD0K6QZSS0Pi0UkmH2w.vp3G
        accents | bcrypt 2y
        $2y$05$HBADQXHOTvrugO.0TXuRI.Wz/dWguBgDtytBxQ2Ey1Z3VCN/bSlGW
        edge | bcrypt 72
        $2b$05$J6Hlk0e3Fv0K5sw8ApT9Lez5HRQh41sXRuZfSHvHlhBouXfNa30.u
        plain | passlib scrypt
        $scrypt$ln=10,r=8,p=1$g5BSyhkDoFTK2XsPIaS0Fg$QdFzbe247xBa916vz5Bc4GRk8X7IU4tLVIwzlxFJg6E
        plain | passlib pbkdf2_sha1
        $pbkdf2$1000$zrnXWusdg/A.R8iZU6p1jg$/1wASKyV6VEhQ/D8fgBEsxc7XqA
        plain | passlib pbkdf2_sha256
        $pbkdf2-sha256$1000$yvl/7z3n/D/H.L93zlkrJQ$T6ohGsUdOFRQP/ZqkzCRnWGJoe8BsLrZPaSzH6jwfwQ
        plain | passlib pbkdf2_sha512
        $pbkdf2-sha512$1000$hxDi3DtnjFEKQWgthfC.lw$J.cx0CMkrlAEiCT9O.1oYYuVF9x2ZfUQQAsXGixgHUng/lx.rIWdj\#
        J.tbM7h44t8OS/vAg2lU2kovVc4ULMBQQ
        plain | passlib phpass
        $P$6X24CtLCB5Hs/zaItBmIfE8FOwwDv80
        plain | passlib phpass H
        $H$6UKDcbKVWzhmv8jAdKG4S5JNghQy6O/
        plain | passlib ldap_salted_sha1
        {SSHA}fhIAtzbOvKihBdvCTFAk98Gmps4ipHTO
        plain | passlib ldap_salted_sha256
        {SSHA256}SrDPo5yTS6ArpPYZWiz6kHoU2mQvuklzLQCxlbDiz07qXetdy5nzHg==
        plain | passlib ldap_salted_sha512
        {SSHA512}/GZNo7wTRLQ3O6++RdvcpEtjzbuLuirrDLG0efD7+Vcifa+WPBfidIuCqWAZiHmjC4H/yZQCLjDxPVc/7bN6Foc\#
        w5rxX6n0P
        plain | passlib sha256_crypt
        $5$rounds=1000$wSH4GX6XQG2aq1f5$cyuRWK6pyHyMCjlTaX7SmXl6UlDKplDwkRGrdvR6RQD
        plain | passlib sha512_crypt
        $6$rounds=1000$6gJm1qHV1PLRFDQo$iiFRyGULKPp2kCRLiDeUSVsRr2GO3CmgpPNZqNSFX60Iqf37tPWHV4h2iR.PqOIq\#
        n5wihvE5IPr6L4FZVT4bz.
        plain | passlib sha512_crypt default
        $6$ybkexpw9ShZgY6f4$vlmIQb0b24OctufOs8KxEkis8BrA5S8Pec8JPEmRWNhRie0FfbQh9p8GWD0nzMTvD7ctVjvhwjnU\#
        5XT0/jxPG1
        plain | libxcrypt yescrypt
        $y$j75$aaaabbbbccccdddd$soFrHtlgOBLkqq5T1Zavct5iMughxBb3m7vxS7j1L7/
        plain | argon2-cffi argon2i v19
        $argon2i$v=19$m=256,t=2,p=2$c2FsdHNhbHRzYWx0$QsxDzi6cYM3K1nGq256KtQyGH9gBNcbr
        plain | argon2-cffi argon2i v16
        $argon2i$v=16$m=256,t=2,p=2$c2FsdHNhbHRzYWx0$CAfauplxFmAClhkJt+tlWSGgx/BcViqL
        plain | argon2-cffi argon2d v19
        $argon2d$v=19$m=256,t=2,p=2$c2FsdHNhbHRzYWx0$ldZqp3RJJhcUr2VVA82QZ4NtT/l6Nw0b
        plain | argon2-cffi argon2d v16
        $argon2d$v=16$m=256,t=2,p=2$c2FsdHNhbHRzYWx0$YVxL29ATpi/V7okiMUjbAkerz3JozJiD
        plain | argon2-cffi argon2id v19
        $argon2id$v=19$m=256,t=2,p=2$c2FsdHNhbHRzYWx0$+VlH+X18RI5Z/TnFQRr1Il24rhNaabkH
        plain | argon2-cffi argon2id v16
        $argon2id$v=16$m=256,t=2,p=2$c2FsdHNhbHRzYWx0$IHLBiV1cXIX3a2d9z/nOA0/OH3/XSsUY
        plain | django pbkdf2_sha256
        pbkdf2_sha256$1000$saltysalt12$zRzXkTOu8eS8thvlZ8xCM79W/WHBvxHsXhdjYdYtsig=
        plain | django pbkdf2_sha1
        pbkdf2_sha1$1000$saltysalt12$YskbXMsmSIpfczg9NyyKAK6MOzk=
        plain | django scrypt
        scrypt$1024$saltysalt12$8$5$XwajfsdBXBIirgz6vxrgSpHg67wd9AY5WCQdaK0vXtZSY4DlpP2ldz6p2ihdWREVI/KD\#
        YEtrZYUOZHICebSIFg==
        plain | django argon2
        argon2$argon2id$v=19$m=256,t=1,p=1$c2FsdHlzYWx0MTI$svnPTcrLNoyQhVVK+grrNDF/aQNHjDdB7r25YraxVek
        plain | django bcrypt
        bcrypt$$2b$05$QasLacVFU9x/LhjbGgF1ZeXOoaqDvIQXm24de9LSdC4096fMzV7gK
        plain | django bcrypt_sha256
        bcrypt_sha256$$2b$05$ENRgQu.cKmNHDLO6MJoPQ.uxooSpvU5GnZ22C47x1h65wS16cfpRa
        accents | passlib scrypt
        $scrypt$ln=10,r=8,p=1$6Z2ztra21hrD+L8XorS2dg$9rczyootepM7p98IJt1ZJcS1o7xRziOw1apnZtRe43Y
        accents | passlib pbkdf2_sha1
        $pbkdf2$1000$JiQE4JwTYmwtZeydc24NAQ$oW8Q/Oowjnzm3LjLL2gni3aTXqo
        accents | passlib pbkdf2_sha256
        $pbkdf2-sha256$1000$k5Kydm6tdY5RqvWeE8KY8w$FZ0kfwb2Vn5sG6NJweYZS4HPEQG9ba/3FNjyHsCsj9s
        accents | passlib pbkdf2_sha512
        $pbkdf2-sha512$1000$VgrB.H8vZexdy5kzZqyVUg$PMxN91DPLtLFNMG/eoVLUcrEsVKsKdc1QDa99/YPpqok5HsJh/1bq\#
        Pr//IyKym/sfsCKdZuKIBH4npAMdqwTXg
        accents | passlib phpass
        $P$6D8uS4cdTiLiOYZ/kPfngB3ausq6Er/
        accents | passlib phpass H
        $H$6epWkE/ZfXBh7GgvGE/yodaMiw9bmr1
        accents | passlib ldap_salted_sha1
        {SSHA}Ww0/TEsojZRqbw3d50RZbrp1pwgHIIQQ
        accents | passlib ldap_salted_sha256
        {SSHA256}HzAwUOZZwpkXehBnLn9crx6daCzxq6iz9602Pi3G9ElnrDWmFKLU2g==
        accents | passlib ldap_salted_sha512
        {SSHA512}vsaFL3mLkTKuwf9r12+uT+wwKp6JJMmms6ILcGbJex/Xbcao6IDX1+a4Ur1Tzlw9G90zNvBzEgxsj5NWdi0Ls0R\#
        o7b2Xspby
        accents | passlib sha256_crypt
        $5$rounds=1000$9Npz/gBsD.9J498L$kfr6Fly5GLV5fvxsiYCT3u3b9qSmOAVWa0KhLz0CPI9
        accents | passlib sha512_crypt
        $6$rounds=1000$dzg5klwp43OytTr3$px62bXYmIFAaAddHXs7aY7IkSE86U11knfuJoeeRC9CUnprpATDj69hic6GC7uhA\#
        63Hp8P80OdAGy0pDiolzG0
        accents | passlib sha512_crypt default
        $6$VUfXhfDH1R6.4s3K$TOHG9eRAVC.dcLVO33CQxBPvg09q6.rl41yoVMLdmbowH2CsVzVoOQurdOpiNTiwCgbYsUkxWPzC\#
        GIZgV4mgU1
        accents | libxcrypt yescrypt
        $y$j75$aaaabbbbccccdddd$kkZZ7J1SQgBSIE0tq7Rz9hz3rTgPiXOgKXxSgwR/dF0
        accents | argon2-cffi argon2i v19
        $argon2i$v=19$m=256,t=2,p=2$c2FsdHNhbHRzYWx0$DKCY3nYl8ogw9C5TCFJamXdjkN79LyDN
        accents | argon2-cffi argon2i v16
        $argon2i$v=16$m=256,t=2,p=2$c2FsdHNhbHRzYWx0$wLERwfFZCw0wGh47ncN5o/RxIuozIX46
        accents | argon2-cffi argon2d v19
        $argon2d$v=19$m=256,t=2,p=2$c2FsdHNhbHRzYWx0$YRWbYYQGVpQmiQJgNgNWdoPEFqCHdUjY
        accents | argon2-cffi argon2d v16
        $argon2d$v=16$m=256,t=2,p=2$c2FsdHNhbHRzYWx0$8J/xY/oXTiMVN+8IP3hSdFJf6mvGZcAB
        accents | argon2-cffi argon2id v19
        $argon2id$v=19$m=256,t=2,p=2$c2FsdHNhbHRzYWx0$b7VuUdAMT5C1neRegTNcyLt2w0hxkK+/
        accents | argon2-cffi argon2id v16
        $argon2id$v=16$m=256,t=2,p=2$c2FsdHNhbHRzYWx0$Y1YJF48ciq90j1odxeWL15Hy3TDt84yb
        accents | django pbkdf2_sha256
        pbkdf2_sha256$1000$saltysalt12$1gbEupinhDJL7cTlRjUi7fzgPrJ1GETMgpltxkwjis0=
        accents | django pbkdf2_sha1
        pbkdf2_sha1$1000$saltysalt12$k+56hPz4qVRKhx8zJx6PsqELT5I=
        accents | django scrypt
        scrypt$1024$saltysalt12$8$5$yZdyMPp92aZim32k6yYo4PByUklLpWZPKeeyiAMbGQ2ALl8BSQQ+f898wUoZeP1YbvrK\#
        J84nQp5k/IsOpPMmOw==
        accents | django argon2
        argon2$argon2id$v=19$m=256,t=1,p=1$c2FsdHlzYWx0MTI$CQRd1kDAFdZBNCQ7HfErMwd++iK5wdX6U2/9G/qG42I
        accents | django bcrypt
        bcrypt$$2b$05$XmefBo1uM9Pd5/PA2WCFEOKW5QrDAwvQKYoOyKBSurNk2rkVznGGS
        accents | django bcrypt_sha256
        bcrypt_sha256$$2b$05$1bBoAnZeqsz40w3n5Iw7g.IMxYXLAr2w59d5kMcuV0hwGHFxpyRuS
        """#
}
