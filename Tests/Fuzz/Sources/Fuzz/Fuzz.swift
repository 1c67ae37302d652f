import KeyturnBase
import KeyturnWebAuthn

/// What libFuzzer calls with each input: the first byte chooses the decoder.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    guard let start, count > 0 else { return 0 }
    let bytes = unsafe Array(UnsafeBufferPointer(start: start, count: count))
    Decoders.run(bytes[0], Array(bytes.dropFirst()))
    return 0
}

@_silgen_name("LLVMFuzzerRunDriver")
func runDriver(
    _ argumentCount: UnsafeMutablePointer<CInt>,
    _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
    _ target: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// The package manager looks for its own name of the entry point, not for libFuzzer's.
@_cdecl("Fuzz_main")
public func fuzzMain(
    _ argumentCount: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>
) -> CInt {
    var count = argumentCount
    var values = unsafe arguments
    return unsafe runDriver(&count, &values, fuzzOneInput)
}
