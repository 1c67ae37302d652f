#if os(Linux)
    /// The functions of libfido2 that are used here, found at run time. Version 1.10 and later have all of them.
    @safe struct FidoLibrary: Sendable {
        typealias Object = OpaquePointer
        typealias Bytes = UnsafePointer<UInt8>
        typealias Text = UnsafePointer<CChar>
        typealias New = @convention(c) @Sendable () -> Object?
        typealias Free = @convention(c) @Sendable (UnsafeMutablePointer<Object?>?) -> Void
        typealias Call = @convention(c) @Sendable (Object?) -> Int32
        typealias SetNumber = @convention(c) @Sendable (Object?, Int32) -> Int32
        typealias SetBytes = @convention(c) @Sendable (Object?, Bytes?, Int) -> Int32
        typealias SetText = @convention(c) @Sendable (Object?, Text?) -> Int32
        typealias IsSo = @convention(c) @Sendable (Object?) -> Bool
        typealias GetBytes = @convention(c) @Sendable (Object?) -> Bytes?
        typealias GetText = @convention(c) @Sendable (Object?) -> Text?
        typealias Count = @convention(c) @Sendable (Object?) -> Int
        typealias GetBytesAt = @convention(c) @Sendable (Object?, Int) -> Bytes?
        typealias GetTextAt = @convention(c) @Sendable (Object?, Int) -> Text?
        typealias CountAt = @convention(c) @Sendable (Object?, Int) -> Int

        let infoNew: @convention(c) @Sendable (Int) -> Object?
        let infoManifest: @convention(c) @Sendable (Object?, Int, UnsafeMutablePointer<Int>?) -> Int32
        let infoAt: @convention(c) @Sendable (Object?, Int) -> Object?
        let infoPath, infoProduct: GetText
        let infoFree: @convention(c) @Sendable (UnsafeMutablePointer<Object?>?, Int) -> Void

        let deviceNew: New
        let deviceFree: Free
        let deviceOpen: SetText
        let deviceClose, deviceCancel, deviceTouchBegin: Call
        let deviceSetFunctions: @convention(c) @Sendable (Object?, UnsafeRawPointer?) -> Int32
        let deviceSetTimeout: SetNumber
        let deviceIsFIDO2, deviceHasPIN, deviceHasUV: IsSo
        let deviceTouchStatus: @convention(c) @Sendable (Object?, UnsafeMutablePointer<Int32>?, Int32) -> Int32
        let deviceRetries: @convention(c) @Sendable (Object?, UnsafeMutablePointer<Int32>?) -> Int32
        let deviceMake, deviceAssert: @convention(c) @Sendable (Object?, Object?, Text?) -> Int32
        let deviceInfo: @convention(c) @Sendable (Object?, Object?) -> Int32

        let factsNew: New
        let factsFree: Free
        let factsNames,
            factsTransports: @convention(c) @Sendable (Object?) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
        let factsValues: @convention(c) @Sendable (Object?) -> UnsafePointer<Bool>?
        let factsCount, factsTransportCount: Count

        let credentialNew: New
        let credentialFree: Free
        let credentialSetType, credentialSetDiscoverable, credentialSetVerification: SetNumber
        let credentialSetHash, credentialExclude: SetBytes
        let credentialSetParty: @convention(c) @Sendable (Object?, Text?, Text?) -> Int32
        let credentialSetUser: @convention(c) @Sendable (Object?, Bytes?, Int, Text?, Text?, Text?) -> Int32
        let credentialFormat: GetText
        let credentialData, credentialStatement, credentialID: GetBytes
        let credentialDataCount, credentialStatementCount, credentialIDCount: Count

        let assertionNew: New
        let assertionFree: Free
        let assertionSetParty: SetText
        let assertionSetHash, assertionAllow: SetBytes
        let assertionSetVerification: SetNumber
        let assertionCount: Count
        let assertionData, assertionSignature, assertionID, assertionUserID: GetBytesAt
        let assertionDataCount, assertionSignatureCount, assertionIDCount, assertionUserIDCount: CountAt
        let assertionUserName, assertionDisplayName: GetTextAt

        /// The library as the system has it; `nil` if it has none, or one that is too old.
        static let system = FidoLibrary(names: ["libfido2.so.1"])

        init?(names: [String]) {
            guard let loader = DynamicLibrary(names) else { return nil }
            do throws(DynamicLibrary.Missing) {
                unsafe infoNew = try loader("fido_dev_info_new")
                unsafe infoManifest = try loader("fido_dev_info_manifest")
                unsafe infoAt = try loader("fido_dev_info_ptr")
                unsafe infoPath = try loader("fido_dev_info_path")
                unsafe infoProduct = try loader("fido_dev_info_product_string")
                unsafe infoFree = try loader("fido_dev_info_free")
                unsafe deviceNew = try loader("fido_dev_new")
                unsafe deviceFree = try loader("fido_dev_free")
                unsafe deviceOpen = try loader("fido_dev_open")
                unsafe deviceClose = try loader("fido_dev_close")
                unsafe deviceCancel = try loader("fido_dev_cancel")
                unsafe deviceTouchBegin = try loader("fido_dev_get_touch_begin")
                unsafe deviceSetFunctions = try loader("fido_dev_set_io_functions")
                unsafe deviceSetTimeout = try loader("fido_dev_set_timeout")
                unsafe deviceIsFIDO2 = try loader("fido_dev_is_fido2")
                unsafe deviceHasPIN = try loader("fido_dev_has_pin")
                unsafe deviceHasUV = try loader("fido_dev_has_uv")
                unsafe deviceTouchStatus = try loader("fido_dev_get_touch_status")
                unsafe deviceRetries = try loader("fido_dev_get_retry_count")
                unsafe deviceMake = try loader("fido_dev_make_cred")
                unsafe deviceAssert = try loader("fido_dev_get_assert")
                unsafe deviceInfo = try loader("fido_dev_get_cbor_info")
                unsafe factsNew = try loader("fido_cbor_info_new")
                unsafe factsFree = try loader("fido_cbor_info_free")
                unsafe factsNames = try loader("fido_cbor_info_options_name_ptr")
                unsafe factsTransports = try loader("fido_cbor_info_transports_ptr")
                unsafe factsValues = try loader("fido_cbor_info_options_value_ptr")
                unsafe factsCount = try loader("fido_cbor_info_options_len")
                unsafe factsTransportCount = try loader("fido_cbor_info_transports_len")
                unsafe credentialNew = try loader("fido_cred_new")
                unsafe credentialFree = try loader("fido_cred_free")
                unsafe credentialSetType = try loader("fido_cred_set_type")
                unsafe credentialSetDiscoverable = try loader("fido_cred_set_rk")
                unsafe credentialSetVerification = try loader("fido_cred_set_uv")
                unsafe credentialSetHash = try loader("fido_cred_set_clientdata_hash")
                unsafe credentialExclude = try loader("fido_cred_exclude")
                unsafe credentialSetParty = try loader("fido_cred_set_rp")
                unsafe credentialSetUser = try loader("fido_cred_set_user")
                unsafe credentialFormat = try loader("fido_cred_fmt")
                unsafe credentialData = try loader("fido_cred_authdata_raw_ptr")
                unsafe credentialStatement = try loader("fido_cred_attstmt_ptr")
                unsafe credentialID = try loader("fido_cred_id_ptr")
                unsafe credentialDataCount = try loader("fido_cred_authdata_raw_len")
                unsafe credentialStatementCount = try loader("fido_cred_attstmt_len")
                unsafe credentialIDCount = try loader("fido_cred_id_len")
                unsafe assertionNew = try loader("fido_assert_new")
                unsafe assertionFree = try loader("fido_assert_free")
                unsafe assertionSetParty = try loader("fido_assert_set_rp")
                unsafe assertionSetHash = try loader("fido_assert_set_clientdata_hash")
                unsafe assertionAllow = try loader("fido_assert_allow_cred")
                unsafe assertionSetVerification = try loader("fido_assert_set_uv")
                unsafe assertionCount = try loader("fido_assert_count")
                unsafe assertionData = try loader("fido_assert_authdata_ptr")
                unsafe assertionSignature = try loader("fido_assert_sig_ptr")
                unsafe assertionID = try loader("fido_assert_id_ptr")
                unsafe assertionUserID = try loader("fido_assert_user_id_ptr")
                unsafe assertionDataCount = try loader("fido_assert_authdata_len")
                unsafe assertionSignatureCount = try loader("fido_assert_sig_len")
                unsafe assertionIDCount = try loader("fido_assert_id_len")
                unsafe assertionUserIDCount = try loader("fido_assert_user_id_len")
                unsafe assertionUserName = try loader("fido_assert_user_name")
                unsafe assertionDisplayName = try loader("fido_assert_user_display_name")
                let initialize: @convention(c) (Int32) -> Void = try loader("fido_init")
                initialize(0)
            } catch {
                return nil
            }
        }
    }
#endif
