#pragma once
// Lua values ⇄ Values with their places, and objects (shapes, bodies …) as Lua userdata.

#include <functional>
#include <memory>
#include <span>

#include "pliant/core/params.hpp"
#include "pliant/script/sandbox.hpp"

namespace pliant::script {

/// A method of an object, as C++: `self` is the object's handle.
using Method = std::function<Value(const Value& self, std::span<const Value> arguments)>;

class LuaBridge : public std::enable_shared_from_this<LuaBridge> {
public:
    explicit LuaBridge(std::shared_ptr<Sandbox> sandbox) : sandbox_(std::move(sandbox)) {}

    Sandbox& sandbox() const { return *sandbox_; }

    /// The value at a stack index. `where` is its place unless it knows better. A Lua function becomes a Callable that
    /// stays usable as long as the sandbox lives; several results of it come back as a list.
    Value value_at(int index, const Where& where);
    void push(const Value& value);

    /// Makes a verb that calls `function` with the arguments a scene gives.
    void define_function(const std::string& name, std::function<Value(std::span<const Value>)> function);
    void define_method(const std::string& type, const std::string& name, Method method);

    /// What all tables and calls of the scene's loading may add up to, so that memory outside of Lua is bounded too.
    void charge(std::size_t values);

    double call_seconds = 1;  ///< for each call of a function during the run
    bool loading = true;      ///< charges count only while the scene loads

private:
    Value convert(int index, const Where& where, int depth);
    Value convert_table(int index, const Where& where, int depth);
    Value convert_function(int index, const Where& where);
    void push_object(const Value& value);

    std::shared_ptr<Sandbox> sandbox_;
    std::size_t charged_ = 0;
};

}  // namespace pliant::script
