#if os(Linux)
    import Foundation
    import Testing

    @testable import Keyturn

    @Suite("What is known of the TPM2 Software Stack, beside its own headers")
    struct TPMHeaderTests {
        static let compiler = ["cc", "gcc", "clang"].first { Child.path($0) != nil }
        static let isInstalled =
            compiler != nil && FileManager.default.fileExists(atPath: "/usr/include/tss2/tss2_esys.h")

        /// Prints what this library assumes; a declaration that differs from the headers' does not compile.
        private static let program = """
            #include <stdio.h>
            #include <tss2/tss2_esys.h>
            #include <tss2/tss2_mu.h>
            #include <tss2/tss2_tctildr.h>
            #define HANDLE(name) printf(#name " %u\\n", (unsigned)name)
            #define SIZE(name) printf("sizeof " #name " %zu\\n", sizeof(name))
            #define IS(name, type) _Static_assert(_Generic(&name, type: 1, default: 0), #name)
            typedef ESYS_CONTEXT *C;
            typedef const void *V;
            #define FROM(name) IS(Tss2_MU_##name##_Unmarshal, \\
                TSS2_RC (*)(const uint8_t *, size_t, size_t *, name *))
            #define TO(name) IS(Tss2_MU_##name##_Marshal, TSS2_RC (*)(const name *, uint8_t *, size_t, size_t *))
            FROM(TPM2B_PUBLIC); FROM(TPM2B_PRIVATE); FROM(TPM2B_SENSITIVE_CREATE); FROM(TPM2B_DIGEST);
            FROM(TPMT_SIG_SCHEME); FROM(TPMT_TK_HASHCHECK); FROM(TPMT_SYM_DEF);
            TO(TPM2B_PUBLIC); TO(TPM2B_PRIVATE); TO(TPM2B_SENSITIVE_DATA); TO(TPMT_SIGNATURE);
            IS(Tss2_TctiLdr_Initialize, TSS2_RC (*)(const char *, TSS2_TCTI_CONTEXT **));
            IS(Tss2_TctiLdr_Finalize, void (*)(TSS2_TCTI_CONTEXT **));
            IS(Esys_Initialize, TSS2_RC (*)(ESYS_CONTEXT **, TSS2_TCTI_CONTEXT *, TSS2_ABI_VERSION *));
            IS(Esys_Finalize, void (*)(ESYS_CONTEXT **));
            IS(Esys_Free, void (*)(void *));
            IS(Esys_CreatePrimary, TSS2_RC (*)(C, uint32_t, uint32_t, uint32_t, uint32_t,
                const TPM2B_SENSITIVE_CREATE *, const TPM2B_PUBLIC *, const TPM2B_DATA *, const TPML_PCR_SELECTION *,
                uint32_t *, TPM2B_PUBLIC **, TPM2B_CREATION_DATA **, TPM2B_DIGEST **, TPMT_TK_CREATION **));
            IS(Esys_StartAuthSession, TSS2_RC (*)(C, uint32_t, uint32_t, uint32_t, uint32_t, uint32_t,
                const TPM2B_NONCE *, uint8_t, const TPMT_SYM_DEF *, uint16_t, uint32_t *));
            IS(Esys_TRSess_SetAttributes, TSS2_RC (*)(C, uint32_t, uint8_t, uint8_t));
            IS(Esys_Create, TSS2_RC (*)(C, uint32_t, uint32_t, uint32_t, uint32_t, const TPM2B_SENSITIVE_CREATE *,
                const TPM2B_PUBLIC *, const TPM2B_DATA *, const TPML_PCR_SELECTION *, TPM2B_PRIVATE **,
                TPM2B_PUBLIC **, TPM2B_CREATION_DATA **, TPM2B_DIGEST **, TPMT_TK_CREATION **));
            IS(Esys_Load, TSS2_RC (*)(C, uint32_t, uint32_t, uint32_t, uint32_t, const TPM2B_PRIVATE *,
                const TPM2B_PUBLIC *, uint32_t *));
            IS(Esys_Sign, TSS2_RC (*)(C, uint32_t, uint32_t, uint32_t, uint32_t, const TPM2B_DIGEST *,
                const TPMT_SIG_SCHEME *, const TPMT_TK_HASHCHECK *, TPMT_SIGNATURE **));
            IS(Esys_Unseal, TSS2_RC (*)(C, uint32_t, uint32_t, uint32_t, uint32_t, TPM2B_SENSITIVE_DATA **));
            IS(Esys_FlushContext, TSS2_RC (*)(C, uint32_t));
            _Static_assert(sizeof(TSS2_RC) == 4, "codes");
            _Static_assert(TPM2_SE_HMAC == 0 && TPM2_ALG_SHA256 == 0x0B && TPM2_ALG_AES == 0x06, "algorithms");
            _Static_assert(TPM2_ALG_CFB == 0x43 && TPM2_ALG_ECDSA == 0x18 && TPM2_ALG_ECC == 0x23, "algorithms");
            _Static_assert(TPMA_SESSION_CONTINUESESSION == 0x01 && TPMA_SESSION_DECRYPT == 0x20
                && TPMA_SESSION_ENCRYPT == 0x40, "attributes");
            int main(void) {
                HANDLE(ESYS_TR_NONE); HANDLE(ESYS_TR_PASSWORD); HANDLE(ESYS_TR_RH_OWNER);
                SIZE(TPM2B_PUBLIC); SIZE(TPM2B_PRIVATE); SIZE(TPM2B_SENSITIVE_CREATE); SIZE(TPM2B_DIGEST);
                SIZE(TPMT_SIG_SCHEME); SIZE(TPMT_TK_HASHCHECK); SIZE(TPMT_SYM_DEF); SIZE(TPM2B_DATA);
                SIZE(TPML_PCR_SELECTION);
                return 0;
            }
            """

        @Test(.enabled(if: isInstalled, "no C compiler, or no libtss2-dev"))
        func `functions, numbers and sizes are those of the headers`() throws {
            let directory = try TemporaryDirectory()
            let source = directory.path + "/headers.c"
            try Data(Self.program.utf8).write(to: URL(fileURLWithPath: source))
            let environment = ["PATH": "/usr/local/bin:/usr/bin:/bin"]
            let built = try Child(
                Self.compiler ?? "", ["-std=c11", "-o", directory.path + "/headers", source], environment)
            built.wait()
            try #require(FileManager.default.fileExists(atPath: directory.path + "/headers"), "it does not compile")
            let output = Pipe()
            let child = try Child(directory.path + "/headers", [], [:], output: output)
            let text = String(decoding: try output.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
            child.wait()
            let lines = text.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
            #expect(lines.count == 12)
            for line in lines {
                let number = try #require(line.last.flatMap { UInt32($0) })
                switch line[0] {
                case "ESYS_TR_NONE": #expect(number == TPM.none)
                case "ESYS_TR_PASSWORD": #expect(number == TPM.password)
                case "ESYS_TR_RH_OWNER": #expect(number == TPM.owner)
                default: #expect(number <= TPMMemory.structureBytes, "\(line)")
                }
            }
        }
    }
#endif
