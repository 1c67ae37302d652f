/// A key that `openssl` 3.0 wrote for these tests, and for nothing else.
enum TranscriptKey {
    /// In PKCS#8.
    static let plain = """
        -----BEGIN PRIVATE KEY-----
        MIIEvwIBADANBgkqhkiG9w0BAQEFAASCBKkwggSlAgEAAoIBAQDB3gfOMyEJslIY
        XJOanfO1RQHbQWEBTiAxYjkZb363tRnSkJdowruZQB6PrlzTSisqmUNyXJn4bmvU
        dHIFdAf3H8WqnlePKlO9LiRriDR638LpNKKnK0QXkHivh7S6lBkAG1e2j7E1LSTa
        ewMJKBDhkj/07OizjzgvT3fH8DqBPtyWb4YxAU1J6p6PS9H6M2syOdjjVJxuIzQh
        zN/CQD2x2vUrYEvUV4Js8G8FzDWwuZWtpF2ifVaP19t1FWXZzB+lcgqErozXfdlV
        zL0rCuo1mWW0V/XOpSKD4S29DbXH3LuGqBBxSEcBt1qk6y5pTodJHLp5WHEq7mdb
        q11WsaJJAgMBAAECggEAA0wYQJ4wAB2VHpdQ2v7PGU7LPniWGd6U7iIWt28H7hE2
        ujf9s/qz5ZC6EW3j2EaqkRm6Zdjm+vJt1RFMH4VBxoPxL4aDii2JTFcJv1rQ3sZ+
        OD/lYcHvQtBuIWeXMWb/PX4LA2jeDSh7IMyCnm9XA52t+yeeLTYt6xaedtKIJO2o
        gGEu5QHQm9pWocM1NHjf6HEK1357Gw3tvLS8vzCWOP/4P/bMJ92uLZu5P9E4Ia4a
        Sp3+VujhFquTy8VdXUll3iwQjx3hgWiU4YMemjqfh4CwtPoiBrNJi7b0fIZZ79XJ
        QHxlhlHLOWQRKFTF9TZ6wYs+F8L9vtyjZwx48gNBvQKBgQD8PdS1Hu9r1WyrYT60
        BqchIwtopo6d8ScojV2Au6Jyaz/0MD9Kt+dQzJXCU/lqqkcMiRNwjNshlwRzv4L+
        wENeRHlKOgXgK+YatJFIimv0kAF5T6opR9FJKZcKGvlbtKj8GqJoB+SoCN5xVP67
        whxIPoXWEPd2XFBgBEPzrQg04wKBgQDEwYhWl1iPv1sogMpk/khS3D9eeKS97pnw
        oAoQzuWLcEcof+jqiNFwaBDGJb3Xk2lrBA3rRPVT1J1N7U2ofW7kbelSDKv/XndA
        tOZ+HCyOI/zOLIecMBYAH/v2hzlug8NQaEgtNL38kqkDh0+pgYi8L5vMequsZcyM
        qhftTJPf4wKBgQC4YfI0m3JkHtSayjDto9dTj6xtSSMDLR50tDFfQslSXjeXphT9
        50R9ea8XKA8v+1yIO0MsiKo9+YhVm+6DjcMxC1il+5gD79L6Pnfc0OJtGT8akDNQ
        jaDcnDw+NM2GTZ8g+c8xwGNSuXjw2zKByTinTpzCiBB8Qqq2JSgO3bMcBQKBgQCa
        9Y1KHVJrjBrgUGaWmcoeMEZcQgoFaEinQXQL/ta8NgZk+DBZnr3MmLk1RX45rWim
        FwBbXekVR+tH93BlFbzjfUj4DPDdY+np9U9e3ROeMuuk+V8ofJqnKImJhMCPsIh/
        6FGIAPTsWhlwpP3xkwo8pAZBSg+w7E/oLQJBK0F/XwKBgQC4iFLpNMNpRfaC3sxA
        uEswVt1U5z3b5eGswIHIHaQttTP9in5dJF1gsuskCL0TZpprPDdXZVdCepGU8HIR
        je9MfPSWvIONGyexfu+Cvvn6lke1pXtdTS3RO6lrwWlLcCarKrqbEKk/DGhTTJEl
        Mmi20YFqFh/ICbVG4/qHvLhucg==
        -----END PRIVATE KEY-----
        """
    /// The same under `correct`, as Box's console writes it.
    static let encrypted = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIIFDjBABgkqhkiG9w0BBQ0wMzAbBgkqhkiG9w0BBQwwDgQIejU4C5YLo1ICAggA
        MBQGCCqGSIb3DQMHBAiBZt80gLKBpASCBMhbWqqBdD49s28/3VoBe+ZKmcOXYSrb
        6ghjJ4lulrZX4a9pva4uBGvxaTP522+FlyAm+xiwt9iSfXnrN2Du/o9Hip4ba/7e
        4MZtgR0E8WE7nSi6xJZHHtnxhh4rQnWt6X8A4nE0PM+mQ1jrswfPZjW5B7iyWTVa
        lXMdLEnzMXREz2f7lzrOqc6QhN69KrEGSpkoySnXc9ymmOTauuRZ2tKgaaeW/2Ww
        sA5OQLvGSmOwkmvcJJA9icJkfZbvH887wW6DyWUTTVxB0KHr2mJeEj9USNgso23l
        RjDU+/eVMIOlC7Eb0eUbbJtbn6Ol2noWi8XL3Bu88s8EedbYzWNDTKTx9S5kaSVP
        DCwHE/YM1zn+ocCpp+mx/YF0sX9YtPKeIoylmsqMijGjIJe3ykxq9TqgOt+F1mUZ
        g3o+ZwGVEsXqqskcCwUFxVKcJge93goQ4i40wUJmHAg5SPIMwwLdQ/8RjE/IZi02
        SNdO5BBUNKGTkuIWQbQpCsKeEZ9Cz9pzloRPU27E0IMleza4fYP9IN8BG0OT/Jft
        Z8gxaADsRCA899IVpyio04ROIb1m7SqtLmErJcOvPKtyppwFDFWuXRM87mMw+GF9
        CIse19aRkhvadEzguDM9O3mcIBXO+IHQxcWssYQV1ziZrLzfEgHFo/koeFD6kL1p
        9ruFv9RG+ad7ME+eYtW/2asxvG5HeydzmLS1fPgh5hTlSSwtrzw1MsPyANq7rZc6
        BuiNdQpBhtzo3culf/LL4oHj8E53aBojCkFC1Je0V+rEXd7ybSEsF2PdgeE9gMkY
        FUcrIQxgnFtJ/WQXZDgYWyFW5UWrDaKMLddl5JABwW0DRg7Lsn9gENelgmVlG+Ru
        xPJZu+DGPBrXMlRkyDaSvnjz+Sd2M2XDxWTdEm2Y0gEQ6n5L092cb4v/0cc3XnQm
        u6zEjfbur9q9FhzpSt7gdQkeoCKV6Qlr88z5Cmi5eaw6mBLDm0OktMDOdom3ra3Q
        5v9ETaMyaEHO7tzT5LU+Rfec7qGKTBF7iM4ZLrsWASh2wijM+oxVSUuyTvoUqafo
        3fZxbo03nN2CBu3c8+yX630iiwREvN6lUjz1jYdj0SdTAELq0nE6ykK8msS2491E
        itOIWCYJkcjDXUPUjL8R0kR7sMY68O4pStZhI/PjErknOoyGfkfY25JlFiDJPQPe
        Ko3/mT5y4l4kGDywiveDx5AbLcCWvJNbjd8A+/QEvETouSQTCMJgcUCgeBMt5UJu
        uG+9s/GtH4Xg0C2w4doYAG3zD7g1qpisfLnG+Mhuos2i1hGk8IEFMRmWvCFClhrq
        31mz/gjxAIdRrLfPzIND/6sv1fJBHRmnmv9KcpUgDeYwKgTwA2MGoqP7RzFZcUtH
        dhlIBo8HBiSoRke33RqwZIWyoQkTOLLtVT+s7f8P/swBxLz0d9xtk+bkdluH9d72
        ssFBXAKI78S4FynAWyr4ug1BZyov8PmH+MdRGZRXtUxTy+g8mqj41H9larE0MLGU
        LbbuCV37O7NIk65z1tdv5UmFx0qQvTOyEFCJjdqO6utB1clmojGWBqnUNgWd5aFP
        OsegyibwSVQoiwWXAUMp4w8DvlHgECAhmoC4ccpX1V2XFaMpQskhynHxaTWeS0x9
        Bdw=
        -----END ENCRYPTED PRIVATE KEY-----
        """
}
