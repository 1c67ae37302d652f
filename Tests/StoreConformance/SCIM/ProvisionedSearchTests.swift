import KeyturnBase
import Model
import ServerTesting
import Testing

@Suite("Store: searches of provisioned resources")
struct ProvisionedSearchTests {
    private func names(_ bench: Bench, _ condition: SCIMCondition?, _ change: (inout SCIMQuery) -> Void = { _ in })
        async throws -> [String]
    {
        var query = SCIMQuery(tenantID: "t1", kind: .user, condition: condition)
        change(&query)
        let found = try await bench.stores.provisioned.search(query)
        #expect(try await bench.stores.provisioned.count(query) >= found.count)
        return found.map { String($0.id.dropFirst(3)) }
    }

    @Test(arguments: Engines.withValues)
    func `conditions find what meets them, and nothing of another tenant`(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        try await bench.tenant("t2")
        for (name, kinds) in [("a", ["work", "home"]), ("b", ["home", "work"]), ("c", [])] {
            var values: [SCIMContent.Value] = [SCIMContent.Value("title", element: 0, "title of \(name)_%")]
            for (index, kind) in kinds.enumerated() {
                values.append(SCIMContent.Value("emails", element: index, ""))
                values.append(SCIMContent.Value("emails.type", element: index, kind))
                values.append(SCIMContent.Value("emails.value", element: index, index == 0 ? "first" : "second"))
            }
            try await bench.provisioned(name, in: "t1", bench.content(name, values: values))
        }
        try await bench.provisioned(
            "a", in: "t2", bench.content("a", values: [SCIMContent.Value("title", element: 0, "title of a_%")]))
        func title(_ match: SCIMCondition.Match, _ text: String) -> SCIMCondition {
            .value(path: "title", match, text)
        }
        #expect(try await names(bench, nil) == ["a", "b", "c"])
        #expect(try await names(bench, title(.equal, "title of a_%")) == ["a"])
        #expect(try await names(bench, title(.contains, "of b")) == ["b"])
        #expect(try await names(bench, title(.contains, "_%")) == ["a", "b", "c"])
        #expect(try await names(bench, title(.contains, "__")) == [])
        #expect(try await names(bench, title(.startsWith, "title")) == ["a", "b", "c"])
        #expect(try await names(bench, title(.startsWith, "itle")) == [])
        #expect(try await names(bench, title(.endsWith, "c_%")) == ["c"])
        #expect(try await names(bench, title(.endsWith, String(repeating: "x", count: 50))) == [])
        #expect(try await names(bench, title(.greater, "title of a_%")) == ["b", "c"])
        #expect(try await names(bench, title(.lessOrEqual, "title of b_%")) == ["a", "b"])
        #expect(try await names(bench, title(.greaterOrEqual, "title of c_%")) == ["c"])
        #expect(try await names(bench, title(.less, "title of b_%")) == ["a"])
        #expect(try await names(bench, title(.equal, "' OR 1=1 --")) == [])
        #expect(try await names(bench, .not(.value(path: "emails", .present, ""))) == ["c"])
        let work = SCIMCondition.value(path: "emails.type", .equal, "work")
        let first = SCIMCondition.value(path: "emails.value", .equal, "first")
        #expect(try await names(bench, .element(attribute: "emails", .all([work, first]))) == ["a"])
        #expect(try await names(bench, .all([work, first])) == ["a", "b"])
        #expect(try await names(bench, .any([.id(.equal, "t1/b"), .id(.equal, "t2/a")])) == ["b"])
        #expect(try await names(bench, .moment(.created, .greater, bench.now)) == [])
        #expect(try await names(bench, .moment(.lastModified, .equal, bench.now)) == ["a", "b", "c"])
        #expect(try await names(bench, nil) { ($0.sortPath, $0.isDescending) = ("title", true) } == ["c", "b", "a"])
        #expect(try await names(bench, nil) { ($0.offset, $0.limit) = (1, 1) } == ["b"])
        #expect(try await names(bench, nil) { $0.limit = 0 } == [])
    }

    @Test(
        "M-18: paging by number shows each resource once, also while others come and go",
        arguments: Engines.withValues)
    func paging(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        for number in 0..<10 { try await bench.provisioned("u\(number)", in: "t1") }
        var seen: [String] = []
        var query = SCIMQuery(tenantID: "t1", kind: .user)
        query.limit = 3
        while let last = try await bench.stores.provisioned.search(query).last {
            seen += try await bench.stores.provisioned.search(query).map(\.id)
            query.after = last.number
            guard seen.count < 9 else { continue }
            try await bench.provisioned("late\(seen.count)", in: "t1")
            _ = try await bench.stores.provisionedUsers.deleteUser(
                seen[0], in: "t1", version: nil, connections: [], at: bench.now)
        }
        #expect(seen.count == Set(seen).count)
        #expect(Set((0..<10).map { "t1/u\($0)" }).isSubset(of: seen))
    }

    @Test("M-18: thousands of users are paged while others come and go: none is skipped, none is shown twice")
    func pagingOfThousands() async throws {
        let bench = try await Bench(try #require(Engines.all.first))
        try await bench.tenant("t1")
        let count = 5_000
        for number in 0..<count { try await bench.provisioned("u\(number)", in: "t1") }
        var seen: [String] = []
        var query = SCIMQuery(tenantID: "t1", kind: .user)
        query.limit = 100
        while true {
            let page = try await bench.stores.provisioned.search(query)
            guard let last = page.last else { break }
            seen += page.map(\.id)
            query.after = last.number
            // One that was shown goes, and one comes.
            guard seen.count < count else { continue }
            _ = try await bench.stores.provisionedUsers.deleteUser(
                seen[seen.count - 50], in: "t1", version: nil, connections: [], at: bench.now)
            try await bench.provisioned("late\(seen.count)", in: "t1")
        }
        let late = stride(from: 100, to: count, by: 100).map { "t1/late\($0)" }
        #expect(seen == (0..<count).map { "t1/u\($0)" } + late)
        let all = SCIMQuery(tenantID: "t1", kind: .user)
        #expect(try await bench.stores.provisioned.count(all) == count)
    }

    @Test("M-6: links and resources of another tenant are not found", arguments: Engines.withValues)
    func links(_ engine: any Engine) async throws {
        let bench = try await Bench(engine)
        try await bench.tenant("t1")
        try await bench.tenant("t2")
        let kim = try await bench.provisioned("kim", in: "t1")
        let group = try await bench.group("g", in: "t1", members: [kim.id])
        let store = bench.stores.provisioned
        let link = SCIMLink(id: group.id, display: "g")
        #expect(try await store.links(of: [kim.id], .user, in: "t1", limit: 9) == [kim.id: [link]])
        #expect(try await store.links(of: [kim.id], .user, in: "t1", limit: 0) == [:])
        #expect(try await store.links(of: [kim.id], .user, in: "t2", limit: 9) == [:])
        #expect(try await store.links(of: [], .user, in: "t1", limit: 9) == [:])
        #expect(try await store.resource(kim.id, .user, in: "t1") == kim)
        #expect(try await store.resource(kim.id, .user, in: "t2") == nil)
        #expect(try await store.resource(kim.id, .group, in: "t1") == nil)
        #expect(try await names(bench, .linked(group.id)) == ["kim"])
        #expect(try await names(bench, .anyLinked) == ["kim"])
        let query = SCIMQuery(tenantID: "t1", kind: .group, condition: .linked(kim.id))
        #expect(try await store.search(query) == [group])
        #expect(try await bench.stores.tenants.delete("t1", at: bench.now))
        #expect(try await store.resource(kim.id, .user, in: "t1") == nil)
    }
}
