import Foundation
import Testing

@testable import keyturn

@Suite("Pages of the program that are given back after the start")
struct ProgramPagesTests {
    @Test func `are the code and what stands before it, and nothing that the linker wrote`() {
        let maps = """
            1000-2000 r--p 00000000 fe:00 1  /usr/bin/a b
            2000-5000 r-xp 00001000 fe:00 1  /usr/bin/a b
            5000-6000 r--p 00004000 fe:00 1  /usr/bin/a b
            6000-7000 rw-p 00005000 fe:00 1  /usr/bin/a b
            7000-8000 rw-p 00000000 00:00 0  [heap]
            8000-9000 r--p 00000000 fe:00 2  /usr/lib/c
            9000-a000 rw-p 00001000 fe:00 2  /usr/lib/c
            a000-b000 r-xp 00002000 fe:00 2  /usr/lib/c
            b000-c000 rw-s 00000000 fe:00 3  /data/keyturn.db-shm
            c000-d000 r-xp 00000000 00:00 0  [vdso]
            broken
            """
        #expect(ProgramPages.unwritten(in: maps) == [0x1000..<0x2000, 0x2000..<0x5000, 0x8000..<0x9000])
    }

    @Test func `come back when they are needed`() throws {
        ProgramPages.giveBack()
        let text = try String(contentsOfFile: "/proc/self/maps", encoding: .utf8)
        let ranges = ProgramPages.unwritten(in: text)
        #expect(ranges.allSatisfy { !$0.isEmpty } && !ranges.isEmpty)
        #expect(try JSONDecoder().decode([Int].self, from: Data("[1, 2]".utf8)) == [1, 2])
    }
}
