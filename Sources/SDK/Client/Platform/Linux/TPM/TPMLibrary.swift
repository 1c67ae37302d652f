#if os(Linux)
    /// The functions of the TPM2 Software Stack that are used here (TCG ESAPI, TCTI loader and marshalling), found at run
    /// time. Version 2.4 and later have all of them.
    ///
    /// No structure of theirs is declared here: what is passed in is made by the library itself of the bytes that the
    /// TPM's specification defines, and what comes back is turned into such bytes by the library.
    @safe struct TPMLibrary: Sendable {
        typealias Object = OpaquePointer
        typealias Structure = UnsafeRawPointer
        typealias Out = UnsafeMutablePointer<UnsafeMutableRawPointer?>
        typealias Handle = UInt32
        typealias HandleOut = UnsafeMutablePointer<UInt32>
        typealias Close = @convention(c) @Sendable (UnsafeMutablePointer<Object?>?) -> Void
        typealias ToBytes =
            @convention(c) @Sendable (Structure?, UnsafeMutablePointer<UInt8>?, Int, UnsafeMutablePointer<Int>?) ->
            UInt32
        typealias FromBytes =
            @convention(c) @Sendable (UnsafePointer<UInt8>?, Int, UnsafeMutablePointer<Int>?, UnsafeMutableRawPointer?)
            -> UInt32

        let open: @convention(c) @Sendable (UnsafePointer<CChar>?, UnsafeMutablePointer<Object?>?) -> UInt32
        let close: Close
        let begin:
            @convention(c) @Sendable (UnsafeMutablePointer<Object?>?, Object?, UnsafeMutableRawPointer?) -> UInt32
        let end: Close
        let release: @convention(c) @Sendable (UnsafeMutableRawPointer?) -> Void

        let createPrimary:
            @convention(c) @Sendable (
                Object?, Handle, Handle, Handle, Handle, Structure?, Structure?, Structure?, Structure?, HandleOut?,
                Out?, Out?, Out?,
                Out?
            ) -> UInt32
        let startSession:
            @convention(c) @Sendable (
                Object?, Handle, Handle, Handle, Handle, Handle, Structure?, UInt8, Structure?, UInt16, HandleOut?
            ) -> UInt32
        let setAttributes: @convention(c) @Sendable (Object?, Handle, UInt8, UInt8) -> UInt32
        let create:
            @convention(c) @Sendable (
                Object?, Handle, Handle, Handle, Handle, Structure?, Structure?, Structure?, Structure?, Out?, Out?,
                Out?, Out?, Out?
            ) -> UInt32
        let load:
            @convention(c) @Sendable (Object?, Handle, Handle, Handle, Handle, Structure?, Structure?, HandleOut?) ->
                UInt32
        let sign:
            @convention(c) @Sendable (Object?, Handle, Handle, Handle, Handle, Structure?, Structure?, Structure?, Out?)
                -> UInt32
        let unseal: @convention(c) @Sendable (Object?, Handle, Handle, Handle, Handle, Out?) -> UInt32
        let flush: @convention(c) @Sendable (Object?, Handle) -> UInt32

        let publicFromBytes, privateFromBytes, sensitiveFromBytes, digestFromBytes: FromBytes
        let schemeFromBytes, ticketFromBytes, symmetricFromBytes: FromBytes
        let publicToBytes, privateToBytes, sensitiveToBytes, signatureToBytes: ToBytes

        /// The library as the system has it.
        static let system = Result { () throws(TPMProblem) in try TPMLibrary(version: 0) }

        /// - Parameter version: The number behind the libraries' names.
        /// - Throws: ``TPMProblem/missing(_:)`` with the name of the first that is missing; that of libtss2-esys if one of
        ///   them is too old.
        init(version: Int) throws(TPMProblem) {
            let names = ["libtss2-tctildr", "libtss2-esys", "libtss2-mu"].map { "\($0).so.\(version)" }
            guard let loader = DynamicLibrary([names[0]]) else { throw .missing(names[0]) }
            guard let system = DynamicLibrary([names[1]]) else { throw .missing(names[1]) }
            guard let marshaller = DynamicLibrary([names[2]]) else { throw .missing(names[2]) }
            do throws(DynamicLibrary.Missing) {
                unsafe open = try loader("Tss2_TctiLdr_Initialize")
                unsafe close = try loader("Tss2_TctiLdr_Finalize")
                unsafe begin = try system("Esys_Initialize")
                unsafe end = try system("Esys_Finalize")
                unsafe release = try system("Esys_Free")
                unsafe createPrimary = try system("Esys_CreatePrimary")
                unsafe startSession = try system("Esys_StartAuthSession")
                unsafe setAttributes = try system("Esys_TRSess_SetAttributes")
                unsafe create = try system("Esys_Create")
                unsafe load = try system("Esys_Load")
                unsafe sign = try system("Esys_Sign")
                unsafe unseal = try system("Esys_Unseal")
                unsafe flush = try system("Esys_FlushContext")
                unsafe publicFromBytes = try marshaller("Tss2_MU_TPM2B_PUBLIC_Unmarshal")
                unsafe privateFromBytes = try marshaller("Tss2_MU_TPM2B_PRIVATE_Unmarshal")
                unsafe sensitiveFromBytes = try marshaller("Tss2_MU_TPM2B_SENSITIVE_CREATE_Unmarshal")
                unsafe digestFromBytes = try marshaller("Tss2_MU_TPM2B_DIGEST_Unmarshal")
                unsafe schemeFromBytes = try marshaller("Tss2_MU_TPMT_SIG_SCHEME_Unmarshal")
                unsafe ticketFromBytes = try marshaller("Tss2_MU_TPMT_TK_HASHCHECK_Unmarshal")
                unsafe symmetricFromBytes = try marshaller("Tss2_MU_TPMT_SYM_DEF_Unmarshal")
                unsafe publicToBytes = try marshaller("Tss2_MU_TPM2B_PUBLIC_Marshal")
                unsafe privateToBytes = try marshaller("Tss2_MU_TPM2B_PRIVATE_Marshal")
                unsafe sensitiveToBytes = try marshaller("Tss2_MU_TPM2B_SENSITIVE_DATA_Marshal")
                unsafe signatureToBytes = try marshaller("Tss2_MU_TPMT_SIGNATURE_Marshal")
            } catch {
                throw .missing(names[1])
            }
        }
    }
#endif
