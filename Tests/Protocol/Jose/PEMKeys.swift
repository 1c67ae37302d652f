/// Private keys that `openssl` 3.0 wrote for these tests, and for nothing else.
enum PEMKeys {
    static let rsa = """
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
    static let rsaPKCS1 = """
        -----BEGIN RSA PRIVATE KEY-----
        MIIEpQIBAAKCAQEA6ymW7Efx68iIGPBt77J0T1lmO6ZKDE7NZp68TPVyzo2/pEOm
        kQjXpwutsBppdahKRHANfrLwgftmfWbZSdXc5K1tgZdC4h6M37y3QL0gUaaaLKju
        x+GZyRss6lut9kAUIgRcix1oS5E2KbhKhQyBmmjBl9L1kkK/+gQRjFjyWtdc9p88
        bp7Rx4kAXr+46OAxrbJXD3JcU8SGcssGLzrpURJME+oUQLxnd7jjY0dxoUuGL4XJ
        A0qyQsjbREPC0CDC62MFWn0MRvF1E1h3gjk6FlNDk0AbYmfzVTk/8C4pGX1Y4B8b
        JGM8BCippnzt6fyQdrmGAbHojwshplssDDPwPQIDAQABAoIBAA6R7phoIryNmaUV
        7HHP+DXcX6GtfWQC0+YaSqdoA7t5e9i1GlJdHmNqrVG+aS9RhHx2BtgFRTKAfYqi
        fy78cam3dxPy58FzzB2mpyH7Nc/pRx8iPl0jBLC5ntBMatxZfwXWiFdUNJyN/DGc
        if1xV2xWNjxuZSmxOgzHCMFN14I6PFAmmKk39yw1fM8LE1++0lQ1oOCja7mjPA3W
        W7ATkt9BNhXZfssWN9igKAgQ3eaShDsJkw5x+v8/cCcGlqUBf1JC9LG/tShh/JaO
        /c8w5R8v3DnDYOqaNWGQWcfXQg9Fcdh+NIwSbEeAFZRij8fCTUSbayU6JnavG8Wc
        TcBX2zECgYEA9vHeCZ9+1pBuJC9s9i7Nj/f7IBQvROoDmFRDx8eYNZPQisocIf1v
        5VS7i36VCz4fQ9EewbHYslE5ww8uFn7pIiOoYqXWCC07rkTZzpeDy7LjQ1X77l7W
        aV+LmlNeYCHHmcb8E5C9HzopCSPRRkJxAZQvFkJc/+dZVxGr/IdRIYUCgYEA88ke
        VHS9akKyA0WN71ftvq19pd0DM9fl9TUavUIjUe7+xz4KjnSJkrI7HnGs0owgc1Im
        965vu9bMwp/GigOZI+aCftnTD1EmeVHY0xVYw8eWfwympJ08fYW5in2R2SMd/IJj
        voUeWfLsnQt47HMNx2FYzZUysbBj7ojz8kqv9VkCgYEA0+nbUQa+IgLvgb3xE5I2
        dUWpC25G4iyvyRkG0XpG9DNU0sV+PuzuCS8dgieuX2eADQJ4EmA8RUnO98UfF87w
        4YsYBQ+rDHlErdgH0XHUeAmbXT18ZKKd/O8xLc49PuG+GAjaaS/cG+AdNuq1vEVo
        FKLFhaSNik1OLZnMrXix9sECgYEArQb7CvCMnAXYeO/+DHl5GZPjkTyrkDlVUtOt
        NdTiYr3hgSKstW1LU55CzZnbEtk4EwGk/LiHP2f2jtB+RujE4bEyv7v0zHNJfmQ0
        I6WMCfD4BRbClCWxkFnAVeZIBTiiiN021DuBTlBX1iMVYaVLi06xi8CwaWOLmfsE
        Qdz2xIkCgYEAywUl1TM3w238zL0LZAc0e5xIOExqJo5SxacSKnqWXs1MLyoD5kj/
        C/qKLicpyHL1QOdedwLVQBKd+3zL05zwNkuxtPMWEEJsI3rqoaQQ8seNKmpMQVhS
        XuSj4Sa7QXH9oeFlm5GLk3HeLw7UmvNyaSouD4IdZisEqugq1Y+slkM=
        -----END RSA PRIVATE KEY-----
        """
    /// PBES2, AES-256-CBC, HMAC-SHA-256. `correct` opens this one and all below.
    static let rsaAES = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIIFLTBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQIdEgk4hERTygCAggA
        MAwGCCqGSIb3DQIJBQAwHQYJYIZIAWUDBAEqBBCjAVmJMTtryOpRvEtSnLb/BIIE
        0IprHtyn7yYNOx2lfIqXIEWIn7l0TRIMfDpD7fL0Fzvv2qnfL9VlM6GVexLhWE0R
        wRkckXi05hxCm6SCP7mT6dS2RPfYFJPrIRj/NzFnsXrM54X/2bv/rC05D9a5qIf5
        9q5uXfzLKE9/P6GoMCo6sZcMoczhSSZGIOswFOyWLfA3u0o8ZCf9fgXRR7Dr0hm2
        lN3A9C+vW62hfKOFWWjZ7VJGDiFXmtEJiMQ1Zdz23TrRUZmS4osHIVBtrMAfxbK/
        jvPQAy8f/whlXWdpj7VGT5fzZLpdvRZxT1f8B4giUy4YzKtMW5aKu91Eg+6sWrw+
        MWStg9q0FtTQ6pR6bQPsvmYFRkCEckM3gGhiBHM1eqqS4GMDg3AhHrG2oh2hvxj9
        ObbtutysAs8ZpRN6sppiHZcJRqRmDNbYpa/48/W3kZksfPPCOhv08pp8QsiJyIRZ
        FQHXWdWjxVJKmWt33OZtLTLkcjxptkx+kMUbk63nZ4NqRuRhp5vlsTZeEWJ8zvuS
        t6/srLqIrFP9ASPCCh0TZsZ5rHiaYbfqmiUj+jsRokDviWYf43mf4YVYct9Vqn4r
        jAwgYidA5i25ZiwsHZfGRuPu7P/+KlhK7k14MW9G4Umc7H41SqHUM/SHSiI7KLw2
        0VXRFErpKgzvFblZEOydg5x90mZnwXGO/TaR0AtRGegiDAxMuGVafhKRHoshuRlR
        5PHX2AmetuAQj596UgaQu78l9zYL1KiC9EIyEa6PFYVuhcEc/DiOxDhOlnlKOdLN
        nhPSZuYDDsAwqiA+QLCesCz5OLBe+Gp6pffsx6bcMtZ4132fQy32BI6ceMaq7NHm
        EeLIv02ta1q+AhDw72IEThgZW3N12Lp/h8WVJDLZtHzQcZwC5duNo+NPwH/G1DPy
        V1yK2uW1NLDpOVGkzkyNk8LjZAvmDjvzV/EtfdtXoBfgStHUz5QSghNNRnTi848b
        NQZcOXP2040NhLvBjPhdlvVLd6+qO5s3ZKVQwMzRkSaU2mOw2oJVVDW8Y26k7LUZ
        nWgpN9Ko2ANW96R6L+6wshEm+OSWwodNA6qq61JD+3HtsN7etkTPAS1h6fHovOZT
        e9bIb6DjDrXRajYDD1ov7pzH61M70810m47gar6NUkLlxEnkU06KJYRK+TDzOsAX
        gZk/EF+0JsU1icfhrrRCEGhwQVn58WbpT8ciso+vqaK3iY5Ln7gXi/AoX5QiBfoy
        g2A582FsguANw38uCVx/filREGLXDioFKSLqHT2TZpSt7JXsNgYKSdE1VdILVzaQ
        HtMgc4Ow1CgwwdAbQ+D8xuvR1Ma3f9xQJYAYoTXAMpIAXJe1TgYk277pqOOM/HAJ
        dRDt3oCNw+650UBz844eES4ctNZCNdg8sn51EvBX0HgFlS5J9f76N7vmeh2yI6mF
        r2nUM5xxAzL67V6TXW55nShCCMpIjorku8Df41ZH2+oazd+IkQT6E+oAY9+cgKW4
        2Ni4e8Lqmf79r7C8xxJzYy24dcEZi45Yf7bFRe0W9qI2cKSE9G3Pv0AQ3iLJpst9
        gHJVqH9G0DqMqIkXLLKoiFuvxgKBEaP1U/yLBgbvfLvjchalEPKL0840sKqgLSr3
        UWc3AKSFjMxhiqTZOQdgQoV8TaUiC80lDk6Mq25R0HHw
        -----END ENCRYPTED PRIVATE KEY-----
        """
    /// PBES2, three-key DES, HMAC-SHA-1: the form of an application's `config.json` at Box.
    static let rsaDES = """
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
    static let p256 = """
        -----BEGIN PRIVATE KEY-----
        MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggkgtq4IE3UJnNKIN
        iHACKRP6qrUejA1MnHn/EcPMAS6hRANCAASwDV6eA6CzhLklQjlf8SV853ObwNJF
        Yd8X4Q0R97Qmdahm5+f4UVBmkHA12EElZ185rj+OmvLLkTRHBi/c9EmD
        -----END PRIVATE KEY-----
        """
    static let p256SEC1 = """
        -----BEGIN EC PRIVATE KEY-----
        MHcCAQEEIIJILauCBN1CZzSiDYhwAikT+qq1HowNTJx5/xHDzAEuoAoGCCqGSM49
        AwEHoUQDQgAEsA1engOgs4S5JUI5X/ElfOdzm8DSRWHfF+ENEfe0JnWoZufn+FFQ
        ZpBwNdhBJWdfOa4/jpryy5E0RwYv3PRJgw==
        -----END EC PRIVATE KEY-----
        """
    static let p256AES = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAh0jpa0pmxOdAICCAAw
        DAYIKoZIhvcNAgsFADAdBglghkgBZQMEAQIEENc/ONM0MWn4DcmKUF2umQUEgZAt
        T8scbN+hGvDd+Cxz8fcXgdguyfUOsuYTKYrzkXgtrnoL0OawH5EbmOmOpH6p+uQ8
        XgmOQ3LERyEGFYH1H21crYwcRq3VYsYkL1suDnUSzm/FHvyZpqn8XoO86CjatLVF
        HeM0agOZ8Mu1c+8hVc+qduysw+VW4XF0xDWdq8rF4ND2kRTuyfzV2o65baX24ZU=
        -----END ENCRYPTED PRIVATE KEY-----
        """
    static let p384AES = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIIBHDBXBgkqhkiG9w0BBQ0wSjApBgkqhkiG9w0BBQwwHAQI5gSGTNonb2ICAggA
        MAwGCCqGSIb3DQIKBQAwHQYJYIZIAWUDBAEWBBB8aarsPg00huqAPJ7f/6p8BIHA
        h8/3OaiApChnH5B7j4R9bYhYA0N0K4GEhBO9++ICdTuY8tjYIncvm3fs6P4lRKPV
        RHsOO+i2SRWNHifMdA75aGcEibr1Jio0V4RFG+SinK0JIhO0xhlvjpZ3FmbEvKB/
        X75DTqcqfyAL8SVa/BZ1bFtlXPx0OzNIGBXaG0GyrCvfjpy/aVPCdTufUSWuPUbO
        6Bcto1hbOaNrnH1lwlLjDlTOu1fpG+FyEfGRFCmWOG4B1cUAXWcEH2wC4GJSHMRg
        -----END ENCRYPTED PRIVATE KEY-----
        """
    static let p521AES = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIIBTzBJBgkqhkiG9w0BBQ0wPDAbBgkqhkiG9w0BBQwwDgQIdILUCOByR+wCAggA
        MB0GCWCGSAFlAwQBKgQQPdNix3aETBTehgCS2gP93ASCAQBCkw40T2errJWvsaxd
        nknxPrjAC/obtsG3iHDOHaEybQvV+rOyN51E/fbjsvhDbZuGyzxkka1JxxjSHg5W
        GePAnfpqvLzpZXbStQXBV7iU5fQmXqz/Hu93dVnZ60AxnwhrTer554+S6th7FO4h
        /rkJrcIEx8FLdCFnsGTnBzaqtZ87V0k3sidR7EepIDfOIbJofoN2H9d4tPbaKZ0d
        k+r6B8U1TLJuix13hY+u39a7xiHbyXjP7MZFgQe/TCYXxdju+QZ+opZjli5ejc6I
        +iHVQg+o3BpGpZwRXqpRSjt6d5SxqUObHjd/70PCQcHWe5uZ2PsvIib5uRWmJRre
        g8aT
        -----END ENCRYPTED PRIVATE KEY-----
        """
    /// scrypt, which this library does not know.
    static let p521Scrypt = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIIBVTBPBgkqhkiG9w0BBQ0wQjAhBgkrBgEEAdpHBAswFAQIQ0ZoI0k2V/gCAkAA
        AgEIAgEBMB0GCWCGSAFlAwQBKgQQfhoxBXzhfbmsjL0F/MlElgSCAQBidDz3j/b2
        haUbKcd7fHNoI4a2z6okNaWcLXUr3Iy0DUi2M/vOrdi2fHwUG6T8HAMHO09EmcXp
        eVfayV5fh3iFwFKlE5XNYqbE94hYK3s/y6ScEtMdOmHPFJNnFiGi8nLj/U0XtHjf
        15HLG73HzO9L9DskAOHuSDcd+wZbbXBTFX8B07xk7Rl/57Qul1QNLUsoY4/Vf3sX
        UvLQmUl+Tzfe38AKAPn0Dg0G5mXnZ18W/9+hGgcincEUAYEk9agPq8VuotzV3ap2
        5rF2qbS7MvPKZQQUPdkgqJCVglmC9eJcQJJtGiIYIuoDnfRT/VTtYLhf/oaOfFka
        uEOn7w+h4xCc
        -----END ENCRYPTED PRIVATE KEY-----
        """
    static let p256DES = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIHjME4GCSqGSIb3DQEFDTBBMCkGCSqGSIb3DQEFDDAcBAgaJAWjtx/C4QICCAAw
        DAYIKoZIhvcNAgkFADAUBggqhkiG9w0DBwQIXERC6J7aW6sEgZASypFCcBAU5LFA
        RO+y3unWJ3s2Apedma2Rs2RwP05Kh7djcYqeSWDUIO+XU/onNKsgABM/QA9huvD0
        tZSOr+NLk8ElDp1YF3TLV/tpcVur9S0NOSdZ/qKdXzx1gwN/OI3zhR/eYccXE/Jk
        M5k0hbmOS2eGl6Ca3aP4mRGh9sQFq1ABgUc/JksfXPWNkaEKrA4=
        -----END ENCRYPTED PRIVATE KEY-----
        """
    static let ed25519 = """
        -----BEGIN PRIVATE KEY-----
        MC4CAQAwBQYDK2VwBCIEIJAltu/XJCg/VJzOuFAkRrjqAUGqL5rHGsebV+jRJvoF
        -----END PRIVATE KEY-----
        """
    static let ed25519AES = """
        -----BEGIN ENCRYPTED PRIVATE KEY-----
        MIGbMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAgpg6OWQvW5uQICCAAw
        DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEB1SFIegH2Mg+fYswlh9XaAEQArU
        JXSyX7OsVn5OhbVC+qmiaXkEvV0YvTUQjsU8lNyx0aJ9TeWaUEDoj3zcwGEOhsHY
        OzKY/VoejHMbayOwYAs=
        -----END ENCRYPTED PRIVATE KEY-----
        """
    /// The encrypted form before PKCS#8.
    static let rsaOld = """
        -----BEGIN RSA PRIVATE KEY-----
        Proc-Type: 4,ENCRYPTED
        DEK-Info: AES-128-CBC,0BC1CE27E228DF0C7E0E2129A4302462

        p9RSCjBFFr13qQi9TdceZGECwSC6jfamFCTKsJbtPzj8Kw5RmpzvUu8nV2Enlq0H
        uM2tGzZZUi5rwdsvhkIYRdZ6jnGQz3miNYGcMB3BLWv2e1SuiLfvQGy1UjsrgkHP
        d1rlhmW3fMTcY7rAA+WzwPY3G5HMnWliIzvNGiLeda6CS7yP7C7UuNjFRlnIa5dY
        MiUMnbe92ieYs0TNGkKD/cFNSxkCcTI1U25HSD8miXBSdbdHS+EVu5CxnDNwhnWd
        nYr1IHDSpJn/5/Uhq+4lU34qLa9afpJe6NbePQkSiolMp3/C0oD07qszBABBQo+l
        n87lrE6zqV829lfSs7eVsHIR4H9PnqiE3zx/q62g+RmBkmXmr+vCDlIuxf1QzUvI
        8JWZim0uwHXrICCbdlxmLMNDFLv4skKOhxj8g6v3bz62rnEP1TwpAplUpGZnJUuk
        /ZIpMkycR0xC5fOm7qAsNcDDeDdP4DrmilLTXDRM2AaaKc45JWiwdUQ8dBQLSU9X
        /lxB+q8lCjNEnr8CcMCDPnuN89z2xV9bPMWk/p8iUR4mL9p2vW6sPyx/617GVQCl
        NLNCYiL2OzYj7mX+hRvQZUeajr+DwDt3oJdIzJtd82U0Rqqwn0HgEoxxPB24yGhd
        BQOqmRs/0NcG/X2CVNMkK6NrZrbEUIjR6uR7BuEDuUgX8q05ZNh3YRtVAuRoYjpL
        wUYmUTQRHJldMak/xJT9kKmaxhgJURvzAMoueu1TC5MkhJrCFT7kiJBqy46NTPeL
        cW762FJ705IQidcH/6Sb87klxT/99s6yMrvJ/R/0xJs8yQLEbecnMXl5gGgepj/P
        9C6IBK4Pjr5Di/I9MU3UWkgrtBSMsyZQM4uwqTk7dVVUDzulJsXNU0PyA4t6v4js
        YITgUEDg5d44K0CuDD1iiKqyEFbjV7JwomuXAxTjalo5LVvHZWjXeAcd4xMWTPzn
        WEetc4r3RSB6qPNwYEx0CD0QEjhLPApZzaKOiJgGSfgd88CUxi92l/yqQzkzSFpV
        EEu9J7e0fA7/qtppGgXJunS/PTYoG4EjLU5PmrvOQx39E6afnh1Lx3gBgJOMceWk
        IcKcD7OQFNtEW5SGr31OKsU4UoCu1IHgr7dfQk9feXKIYkqxWi6QvlRV/YsrV0jX
        yq1RdPd09x8xaN+sOBBSyZ9BGQ/3mnH8w8CJpPI7rsCT/tQgJHv3NgU1zWCmzwZg
        IDq4HIchPZgMc7LKpC0UZH1P/2ivKXuoxLLWj012LZI5e5XrkLAnCeL12OqlsHo+
        AxB7Z0CzxXnAo+8AvSSgunURo3RekodLQpcNXGB7+7NMBkeEMaAGo+Ly1jqik0pX
        Gwn2aoWtCXMIheP+MmNcaqcsiPrYi8AyC0Z68Mg6p1U2V56H2cElXOe37zhghPgY
        WX413efJ9RSXB/Ugc0+29Zviisp62mlH1Zr58UoyNG4GoK3aBiCa5vULsJpG9kw3
        YMdkbLodDMMpcuSKyZ5NqJhv6yON6vZW8sEp3XV3yBYO6as9jup/NnMV0SdAIDWV
        uEkPePgiOL5LtpXkI2x1iqDOeNCERmhEzaCxzoqQBoqq+v/BZ1m/jM6YgBgMSdGS
        -----END RSA PRIVATE KEY-----
        """
}
